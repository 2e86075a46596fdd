import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, textsOf } from "#app/http/page-data.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { startSignInUrl } from "#app/oidc/settings-client.server.ts";
import { AppOrSettings } from "#app/ui/app-or-settings.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentContext } from "#app/ui/document-context.tsx";
import { Page } from "#app/ui/page.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { loadStartPage } from "./start.server.ts";
import { StartPage } from "./start-page.tsx";

/** Shows the start page of a signed-in user, or redirects to the settings (START_PAGE); asks others to sign in. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  // The sign-in for this page was completed or cancelled: without its parameters, the address can be kept.
  if (new URL(request.url).searchParams.has("iss")) return redirect303("/");
  const subject = await findSubjectOfSession(context, await context.session());
  if (!subject) return respondWith(loadFrontPage(context, request));
  if (context.config.startPage === "settings") return redirect303("/manage/open");
  return respondWith(loadStartPage(context, request, subject));
}

type FrontPage = PageView<
  Record<string, never>,
  {
    appUrl: string;
    /** The URL of a sign-in that leads back to the start page; null without a start page. */
    signInUrl: string | null;
  }
>;

async function loadFrontPage(context: LoadContext, request: Request): Promise<FrontPage> {
  const { config } = context;
  const t = await textsOf(context, request);
  return {
    status: 200,
    title: pageTitle(t, t("front.heading")),
    state: {},
    appUrl: config.appUrl,
    signInUrl: config.startPage === "applications" ? startSignInUrl(config) : null,
  };
}

/** No form posts to this URL. */
export function action() {
  throw refusal(404, "page_not_found");
}

export default function Front() {
  const page = useLoaderData<typeof loader>();
  return "tiles" in page ? <StartPage {...page} /> : <FrontPage {...page} />;
}

/** The page without a session: the sign-in for the start page, or the ways to the application and the settings. */
function FrontPage({ appUrl, signInUrl }: FrontPage): ReactNode {
  const { t } = useTranslation();
  const { isAppFrontPage = false } = useDocumentContext();
  return (
    <Page title={t("front.heading")} lead={t(signInUrl === null ? "front.description" : "front.signIn")}>
      {signInUrl === null ? (
        <AppOrSettings appUrl={appUrl} />
      ) : (
        <div className="actions">
          <ButtonLink href={signInUrl}>{t("login.submit")}</ButtonLink>
          {isAppFrontPage ? null : (
            <ButtonLink href={appUrl} quiet>
              {t("common.toApp")}
            </ButtonLink>
          )}
        </div>
      )}
    </Page>
  );
}
