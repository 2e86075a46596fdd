import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CheckState, Ledger, LedgerRow } from "#app/routes/settings/ledger.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { RecoveryCodesOffer } from "#app/routes/settings/second-factors.tsx";
import { StatusBanner } from "#app/routes/settings/status-banner.tsx";
import { Alert } from "#app/ui/alert.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import { Notice } from "#app/ui/notice.tsx";
import type { OverviewState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";
import { type ConnectedAccount, ConnectedAccounts } from "./connected-accounts.tsx";

export type OverviewScreenProps = {
  state: OverviewState;
  username: string;
  /** When the password was set, in words; null without a password. */
  passwordSet: string | null;
  /** Whether a mailed link set the password, which the user has not acknowledged. */
  passwordResetUnseen: boolean;
  /** Whether a second factor is set up. */
  isProtected: boolean;
  /** Whether to offer recovery codes: the user has a second factor and no code left. */
  lacksRecoveryCodes: boolean;
  /** The providers that are configured. */
  providers: readonly ConnectedAccount[];
};

/** The page at /manage: what there is to change, and how it stands. */
export function OverviewScreen(props: OverviewScreenProps): ReactNode {
  const { t } = useTranslation();
  const { state, username, passwordSet, isProtected, providers } = props;
  return (
    <SettingsPage title={t("manage.heading")} lead={t("manage.intro")} before={<Banners {...props} />}>
      <Ledger id="credentials" heading={t("manage.credentials.heading")}>
        <LedgerRow
          label={t("manage.credentials.password")}
          value={
            passwordSet
              ? t("manage.credentials.passwordHint", { when: passwordSet })
              : t("manage.credentials.passwordNever")
          }
          action={<LineLink to="/manage/credentials/password">{t("manage.credentials.passwordAction")}</LineLink>}
        />
        <LedgerRow
          label={t("manage.credentials.username")}
          value={username}
          action={<LineLink to="/manage/credentials/username">{t("manage.credentials.usernameAction")}</LineLink>}
        />
      </Ledger>
      <Ledger id="two-step" heading={t("manage.twoStep.heading")}>
        <LedgerRow
          label={t("manage.twoStep.label")}
          value={isProtected ? <CheckState>{t("manage.twoStep.on")}</CheckState> : t("manage.twoStep.off")}
          action={<LineLink to="/manage/mfa">{t("manage.twoStep.action")}</LineLink>}
        />
      </Ledger>
      <ConnectedAccounts accounts={providers} xsrf={state.xsrf_token} />
      <Ledger id="access" heading={t("manage.access.heading")}>
        <LedgerRow
          label={t("manage.access.sessions")}
          value={t("manage.access.sessionsHint")}
          action={<LineLink to="/manage/sessions">{t("manage.access.sessionsAction")}</LineLink>}
        />
        <LedgerRow
          label={t("manage.access.applications")}
          value={t("manage.access.applicationsHint")}
          action={<LineLink to="/manage/applications">{t("manage.access.applicationsAction")}</LineLink>}
        />
        <LedgerRow
          label={t("manage.access.activity")}
          value={t("manage.access.activityHint")}
          action={<LineLink to="/manage/activity">{t("manage.access.activityAction")}</LineLink>}
        />
      </Ledger>
    </SettingsPage>
  );
}

export function overviewTitle(t: TFunction): string {
  return pageTitle(t, t("manage.title"));
}

const OAUTH_ERRORS = {
  access_denied: "manage.oauthError.denied",
  "account in use": "manage.oauthError.inUse",
} as const;

function Banners({
  state,
  isProtected,
  passwordSet,
  passwordResetUnseen,
  lacksRecoveryCodes,
}: OverviewScreenProps): ReactNode {
  const { t } = useTranslation();
  const oauthError = state["oauth-error"];
  const showsSecurity = !isProtected || state.status === "account-security";
  return (
    <>
      {oauthError === undefined ? null : (
        <Alert kind="error" code={oauthError} word={t("manage.oauthError.title")}>
          <p>{t(hasText(oauthError) ? OAUTH_ERRORS[oauthError] : "manage.oauthError.description")}</p>
        </Alert>
      )}
      {state.status === undefined ? null : <StatusBanner key={state.status} status={state.status} />}
      {passwordResetUnseen ? (
        <Notice kind="attention" data-code="password-reset" word={t("manage.bannerTitle.password-reset")}>
          <p>{t("manage.banner.password-reset", { when: passwordSet ?? "" })}</p>
          <LineLink to="/manage/credentials/password">{t("manage.bannerAction.password-reset")}</LineLink>
        </Notice>
      ) : null}
      {lacksRecoveryCodes ? <RecoveryCodesOffer /> : null}
      {showsSecurity ? (
        <Notice kind="info" data-code="account-security" word={t("manage.bannerTitle.account-security")}>
          <p>{t("manage.banner.account-security")}</p>
          <LineLink to="/manage/mfa">{t("manage.bannerAction.account-security")}</LineLink>
        </Notice>
      ) : null}
    </>
  );
}

function hasText(code: string): code is keyof typeof OAUTH_ERRORS {
  return Object.hasOwn(OAUTH_ERRORS, code);
}
