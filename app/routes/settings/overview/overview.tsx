import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { CheckState, Ledger, LedgerRow } from "#app/routes/settings/ledger.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { RecoveryCodesOffer } from "#app/routes/settings/second-factors.tsx";
import { StatusBanner } from "#app/routes/settings/status-banner.tsx";
import { Alert } from "#app/ui/alert.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { ProviderMark } from "#app/ui/provider-mark.tsx";
import { providerName } from "#app/ui/provider-name.ts";
import { resetHref } from "#app/ui/sign-in-request.ts";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { loadOverviewPage, type OverviewPage, type ProviderAccount } from "./overview.server.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const page = await loadOverviewPage(context, request, settings);
  return data(page, page.status);
}

/** The page at /manage: the state of the account, with a link to change each part. */
export default function Overview() {
  const { t } = useTranslation();
  const page = useDocumentState(useLoaderData<typeof loader>());
  const { state, username, passwordSet, isProtected, providers } = page;
  return (
    <SettingsPage title={t("manage.heading")} lead={t("manage.intro")} before={<Banners {...page} />}>
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
      <Providers providers={providers} xsrf={state.xsrf_token} />
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

function Banners({
  state,
  username,
  isProtected,
  passwordSet,
  passwordResetUnseen,
  lacksRecoveryCodes,
}: OverviewPage): ReactNode {
  const { t } = useTranslation();
  const oauthError = state["oauth-error"];
  const showsSecurity = !isProtected || state.status === "account-security";
  return (
    <>
      {oauthError === undefined ? null : (
        <Alert kind="error" code={oauthError} word={t("manage.oauthError.title")}>
          <p>{t(isKnownOauthError(oauthError) ? OAUTH_ERRORS[oauthError] : "manage.oauthError.description")}</p>
        </Alert>
      )}
      {state.status === undefined ? null : <StatusBanner key={state.status} status={state.status} />}
      {passwordResetUnseen ? (
        <Notice kind="attention" data-code="password-reset" word={t("manage.bannerTitle.password-reset")}>
          <p>{t("manage.banner.password-reset", { when: passwordSet ?? "" })}</p>
          <a className="line-link" href={resetHref(username, "")}>
            {t("manage.bannerAction.password-reset")}
          </a>
        </Notice>
      ) : null}
      {lacksRecoveryCodes ? <RecoveryCodesOffer xsrf={state.xsrf_token} /> : null}
      {showsSecurity ? (
        <Notice kind="info" data-code="account-security" word={t("manage.bannerTitle.account-security")}>
          <p>{t("manage.banner.account-security")}</p>
          <LineLink to="/manage/mfa">{t("manage.bannerAction.account-security")}</LineLink>
        </Notice>
      ) : null}
    </>
  );
}

/** Text keys by value of `oauth-error`; all other values have one general text. */
const OAUTH_ERRORS = {
  access_denied: "manage.oauthError.denied",
  "account in use": "manage.oauthError.inUse",
} as const;

function isKnownOauthError(code: string): code is keyof typeof OAUTH_ERRORS {
  return Object.hasOwn(OAUTH_ERRORS, code);
}

/** The external accounts that the user can sign in with; nothing when no provider is configured. */
function Providers({ providers, xsrf }: { providers: readonly ProviderAccount[]; xsrf: string }): ReactNode {
  const { t } = useTranslation();
  if (providers.length === 0) return null;
  return (
    <Ledger id="accounts" heading={t("manage.providers.heading")} lead={t("manage.providers.description")}>
      {providers.map((account) => (
        <ProviderRow key={account.provider} {...account} xsrf={xsrf} />
      ))}
    </Ledger>
  );
}

function ProviderRow({ provider, account, xsrf }: ProviderAccount & { xsrf: string }): ReactNode {
  const { t } = useTranslation();
  const name = providerName(provider);
  return (
    <LedgerRow
      label={
        <>
          <ProviderMark provider={provider} />
          {name}
        </>
      }
      value={account ? connectedText(t, account.name) : t("manage.providers.notConnected")}
      action={
        // A plain form: the provider's pages need a document load.
        <form method="post" action={`/manage/oauth/${provider}`}>
          <XsrfInput token={xsrf} />
          <input type="hidden" name="intent" value={account ? "disconnect" : "connect"} />
          <Submit quiet>
            {t(account ? "manage.providers.disconnect" : "manage.providers.connect", { provider: name })}
          </Submit>
        </form>
      }
    />
  );
}

function connectedText(t: TFunction, name: string | null): string {
  return name === null ? t("manage.providers.connectedNoName") : t("manage.providers.connected", { name });
}
