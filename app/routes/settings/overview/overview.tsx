import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { respondWith } from "#app/http/reply.server.ts";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { RecoveryCodesOffer } from "#app/routes/settings/second-factors.tsx";
import { isSuccess, StatusBanner } from "#app/routes/settings/status-banner.tsx";
import { AccountRow } from "#app/ui/account-row.tsx";
import { Alert } from "#app/ui/alert.tsx";
import { useDocumentContext, useDocumentState } from "#app/ui/document-context.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { AccountName } from "#app/ui/rows.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { NewKey } from "./new-key.tsx";
import { loadOverviewPage, type OverviewPage } from "./overview.server.ts";
import { Access, Credentials, Language, Profile, Providers, SecondFactors } from "./overview-sections.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  return respondWith(loadOverviewPage(context, request, settings));
}

/** The page at /manage: the state of the account, with a link to change each part. */
export default function Overview() {
  const { t } = useTranslation();
  const page = useDocumentState(useLoaderData<typeof loader>());
  const { state, username, factors, providers } = page;
  const { hasStartPage } = useDocumentContext();
  return (
    <SettingsPage
      title={t("manage.heading")}
      lead={t("manage.intro")}
      parent={hasStartPage ? "/" : undefined}
      before={<Banners {...page} />}
    >
      {/* Shown where the header has no room for the name. */}
      <div className="self">
        <AccountRow name={state.display_name}>
          <b translate="no">{state.display_name}</b>
          <small>
            <AccountName>{username}</AccountName>
          </small>
        </AccountRow>
      </div>
      <NewKey {...page} />
      <Profile {...page} />
      <Credentials {...page} />
      <SecondFactors {...factors} />
      <Providers providers={providers} xsrf={state.xsrf_token} />
      <Access {...page} />
      <Language {...page} />
    </SettingsPage>
  );
}

function Banners({ state, username, factors, passwordSet, passwordResetUnseen }: OverviewPage): ReactNode {
  const { t } = useTranslation();
  const oauthError = state["oauth-error"];
  // The report of a change is the page's only message; the advice is shown at the next visit.
  const hasReport = oauthError !== undefined || (state.status !== undefined && isSuccess(state.status));
  const showsSecurity = state.status === "account-security" || (factors.codes === null && !hasReport);
  return (
    <>
      {oauthError === undefined ? null : (
        // The user's own cancellation is not an error.
        <Alert
          kind={oauthError === "access_denied" ? "info" : "error"}
          code={oauthError}
          word={t("manage.oauthError.title")}
        >
          <p>{t(isKnownOauthError(oauthError) ? OAUTH_ERRORS[oauthError] : "manage.oauthError.description")}</p>
        </Alert>
      )}
      {state.status === undefined ? null : <StatusBanner key={state.status} status={state.status} />}
      {passwordResetUnseen ? (
        <Notice kind="attention" data-code="password-reset" word={t("manage.bannerTitle.password-reset")}>
          <p>{t("manage.banner.password-reset", { when: passwordSet ?? "" })}</p>
          {/* Not a KeepNameForm, whose scripts every visit would load. */}
          <form method="post" action="/password-reset/request-form">
            <XsrfInput token={state.xsrf_token} />
            <input type="hidden" name="username" value={username} />
            <button className="line-link" type="submit" name="next_form" value="reset">
              {t("manage.bannerAction.password-reset")}
            </button>
          </form>
        </Notice>
      ) : null}
      {factors.codes?.left === 0 && !passwordResetUnseen ? <RecoveryCodesOffer xsrf={state.xsrf_token} /> : null}
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
