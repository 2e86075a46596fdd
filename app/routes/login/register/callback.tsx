import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findReturn } from "#app/domain/registration/return.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { keepTypedUsername } from "#app/http/typed-username.server.ts";
import { findClientView } from "#app/oidc/client-view.server.ts";
import { resumeRequest } from "#app/oidc/restart.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Page } from "#app/ui/page.tsx";
import type { StatusState } from "#app/ui/page-state.ts";
import { keptNameHref } from "#app/ui/sign-in-request.ts";
import { Reference } from "#app/ui/support-details.tsx";
import { pageTitle } from "#app/ui/title.ts";

/** The return URL of the registering application. Redirects to the sign-in form, or shows why it cannot. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  const { browser, config, store } = context;
  const found = await findReturn(context, { token, browser });
  if (found.kind === "back") {
    const { uid, username } = found;
    const resumed = await resumeRequest(context, { uid, browser, username });
    if (resumed && "location" in resumed) return redirect303(resumed.location);
    if (resumed) {
      const { challenge } = resumed;
      // Shows the form even if a user is signed in, because the new account is a different one.
      return redirect303(keptNameHref(challenge), await keepTypedUsername(context, { username, challenge }));
    }
  }
  const client = found.kind === "expired" ? await findClientView(store, found.clientId) : null;
  const appUrl = client?.initiateLoginUri ?? client?.uri ?? config.appUrl;
  const state = { status: found.kind === "expired" ? "error-token" : "error" };
  // A return without a sign-in to resume: the account was created, the sign-in is too old.
  const isCreated = found.kind === "back" || found.kind === "other browser";
  const title = registerCallbackTitle(await textsOf(context, request));
  return data({ status: 400, title, state, isCreated, appUrl }, 400);
}

export function registerCallbackTitle(t: TFunction): string {
  return pageTitle(t, t("register.callback.title"), true);
}

export default function RegisterCallback() {
  return <RegisterCallbackPage {...useLoaderData<typeof loader>()} />;
}

type RegisterCallbackPageProps = {
  /** `error-token`; any other status is a technical error. */
  state: StatusState;
  /** The account exists; only the sign-in cannot continue. */
  isCreated: boolean;
  appUrl: string;
};

const TEXTS = {
  expired: { title: "register.callback.expired.title", description: "register.callback.expired.description" },
  created: { title: "register.callback.created.title", description: "register.callback.created.description" },
  technical: { title: "register.callback.technical.title", description: "register.callback.technical.description" },
} as const;

/** The page for a registration that cannot continue the sign-in. */
export function RegisterCallbackPage({ state, isCreated, appUrl }: RegisterCallbackPageProps): ReactNode {
  const { t } = useTranslation();
  const isExpired = state.status === "error-token";
  const failure = isCreated ? "created" : "technical";
  const texts = TEXTS[isExpired ? "expired" : failure];
  return (
    <Page title={t(texts.title)} lead={t(texts.description)} code={isExpired ? "error-token" : "error"} tone="error">
      <ButtonLink href={appUrl}>{t("register.callback.toApp")}</ButtonLink>
      <Reference />
    </Page>
  );
}
