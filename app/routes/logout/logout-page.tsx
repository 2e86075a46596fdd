import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { AccountRow } from "#app/ui/account-row.tsx";
import { AppOrSettings } from "#app/ui/app-or-settings.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import { Notice } from "#app/ui/notice.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { LogoutState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { Reference } from "#app/ui/support-details.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type LogoutPageProps = {
  state: LogoutState;
  client: ClientLabel | null;
  /** Display name of the signed-in user; null without a session. */
  accountName: string | null;
  appUrl: string;
  /** True if the application's request was refused, so that the user does not return to the application. */
  requestRefused: boolean;
};

/** The page of /logout, /logout/accept, /logout/reject and /logout/callback in each of its states. */
export function LogoutPage(props: LogoutPageProps): ReactNode {
  switch (shownStatus(props.state)) {
    case "pending":
      return <LogoutQuestion {...props} />;
    case "challenge":
      return <LogoutError {...props} code="challenge" texts={ERROR_TEXTS.challenge} />;
    case "failed":
      return <LogoutError {...props} code="failed" texts={ERROR_TEXTS.failed} />;
    case "accepted":
      return <LogoutAccepted {...props} />;
    case "rejected":
      return <LogoutRejected {...props} />;
    case "no-session":
      return <LogoutWithoutSession {...props} />;
  }
}

/** Returns the status to show: a pending logout without a valid challenge is the error `challenge`. */
function shownStatus({ status, error, logout_challenge }: LogoutState) {
  const isMissing = status === "pending" && (error === "challenge" || logout_challenge === "");
  return isMissing ? "challenge" : status;
}

const ERROR_TEXTS = {
  challenge: { heading: "logout.challenge.heading", description: "logout.challenge.description" },
  failed: { heading: "logout.failed.heading", description: "logout.failed.description" },
} as const;

function LogoutQuestion({ state, client, accountName, requestRefused }: LogoutPageProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page
      title={t("logout.pending.heading")}
      lead={t("logout.pending.description")}
      before={<ExpiredFormSummary code={state.error} />}
      tone={state.error ? "error" : "normal"}
      client={client}
    >
      {accountName === null ? null : (
        <AccountRow name={accountName}>
          <small>
            <Emphasis text={t("logout.pending.account", { name: accountName })} part={accountName} />
          </small>
        </AccountRow>
      )}
      {requestRefused ? (
        <Notice kind="info">
          <p>{t("logout.pending.notReturning")}</p>
        </Notice>
      ) : null}
      <div className="actions">
        <ConfirmForm state={state} action="/logout/accept">
          <Submit>{t("logout.pending.accept")}</Submit>
        </ConfirmForm>
        <ConfirmForm state={state} action="/logout/reject">
          <Submit quiet>{t("logout.pending.reject")}</Submit>
        </ConfirmForm>
      </div>
    </Page>
  );
}

type ConfirmFormProps = { state: LogoutState; action: "/logout/accept" | "/logout/reject"; children: ReactNode };

function ConfirmForm({ state, action, children }: ConfirmFormProps): ReactNode {
  return (
    <form method="post" action={action}>
      <XsrfInput token={state.xsrf_token} />
      <input type="hidden" name="logout_challenge" value={state.logout_challenge} />
      {children}
    </form>
  );
}

type LogoutErrorProps = LogoutPageProps & { code: string; texts: (typeof ERROR_TEXTS)[keyof typeof ERROR_TEXTS] };

function LogoutError({ client, appUrl, code, texts }: LogoutErrorProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page title={t(texts.heading)} lead={t(texts.description)} code={code} tone="error" client={client}>
      <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      <Reference />
    </Page>
  );
}

function LogoutAccepted({ client, appUrl }: LogoutPageProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page title={t("logout.accepted.heading")} lead={t("logout.accepted.description")} client={client}>
      <ButtonLink href={appUrl}>{t("logout.accepted.again")}</ButtonLink>
    </Page>
  );
}

function LogoutRejected({ client, appUrl }: LogoutPageProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page title={t("logout.rejected.heading")} lead={t("logout.rejected.description")} client={client}>
      <AppOrSettings appUrl={appUrl} />
    </Page>
  );
}

function LogoutWithoutSession({ client, appUrl }: LogoutPageProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page title={t("logout.noSession.heading")} lead={t("logout.noSession.description")} client={client}>
      <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
    </Page>
  );
}

const TITLES = {
  pending: "logout.title",
  challenge: "logout.challenge.title",
  failed: "logout.failed.title",
  accepted: "logout.accepted.title",
  rejected: "logout.rejected.title",
  "no-session": "logout.noSession.title",
} as const;

export function logoutTitle(t: TFunction, state: LogoutState): string {
  const status = shownStatus(state);
  const hasError = status === "challenge" || status === "failed" || state.error !== undefined;
  return pageTitle(t, t(TITLES[status]), hasError);
}
