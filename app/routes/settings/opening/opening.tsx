import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { confirmSettings, findConfirmation } from "#app/domain/access/confirmation.server.ts";
import { openPageSession } from "#app/domain/access/page-session.server.ts";
import { settingsConfirmCookie, settingsCookie } from "#app/http/cookies.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { isOwnForm, issueFormToken } from "#app/http/own-form.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import { Page } from "#app/ui/page.tsx";
import type { OpeningState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

const openingForm = defineForm({});

/** Shows the account; the confirmation stays unused. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return respondWith(loadPage(context, request));
}

/** Opens the settings that wait for a confirmation in this browser. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { config, browser } = context;
  const { _xsrf } = await readForm(request, openingForm);
  if (!(await isOwnForm(context, _xsrf))) return respondWith(loadPage(context, request, "xsrf"));
  const cookies = request.headers.get("cookie");
  const confirmed = await confirmSettings(context, { token: settingsConfirmCookie.read(config, cookies), browser });
  if (!confirmed) return redirect303(UNAUTHORIZED_URL);
  const replaced = settingsCookie.read(config, cookies);
  const opened = await openPageSession(context, confirmed.grant, { ...requestMetadata(context), replaced });
  const headers = new Headers({ "Set-Cookie": settingsCookie.keep(config, opened) });
  headers.append("Set-Cookie", settingsConfirmCookie.clear(config));
  return redirect303(confirmed.to, headers);
}

type OpeningPage = PageView<OpeningState, { appUrl: string }>;

/** @throws a redirect to the error page when no settings wait for a confirmation in this browser */
async function loadPage(context: LoadContext, request: Request, error?: "xsrf"): Promise<OpeningPage> {
  const { config, browser } = context;
  const token = settingsConfirmCookie.read(config, request.headers.get("cookie"));
  const confirmation = await findConfirmation(context, { token, browser });
  if (!confirmation) throw redirect303(UNAUTHORIZED_URL);
  const { t } = await settingsTexts(context, request);
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t("manageOpening.title"), error !== undefined),
    state: {
      ...(error ? { error } : {}),
      display_name: confirmation.displayName,
      xsrf_token: await issueFormToken(context),
    },
    appUrl: config.appUrl,
  };
}

/** The page at /manage/opening: names the account of a settings link before the settings open. */
export default function Opening() {
  const { t } = useTranslation();
  const page: OpeningPage = useDocumentState(usePage<typeof loader, typeof action>());
  const { error, display_name: name, xsrf_token } = page.state;
  return (
    <Page
      title={t("manageOpening.heading", { name })}
      lead={t("manageOpening.description")}
      before={<ExpiredFormSummary code={error} />}
      tone={error ? "error" : "attention"}
    >
      <form className="actions" method="post" action="/manage/opening">
        <XsrfInput token={xsrf_token} />
        <Submit>{t("manageOpening.submit")}</Submit>
        <ButtonLink href={page.appUrl} quiet>
          {t("manageOpening.cancel")}
        </ButtonLink>
      </form>
    </Page>
  );
}
