import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findFactors } from "#app/domain/second-factor/factors.server.ts";
import { listOwnKeys } from "#app/domain/settings/security-keys.server.ts";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { CheckState, Ledger, LedgerRow } from "#app/routes/settings/ledger.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { securityKeyTexts, settingsState, stateFromUrl, timeTexts } from "#app/routes/settings/page-data.server.ts";
import {
  RecoveryCodesOffer,
  SecurityKeyDescription,
  type SecurityKeyTexts,
} from "#app/routes/settings/second-factors.tsx";
import { StatusBanner } from "#app/routes/settings/status-banner.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import type { TwoStepState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const { access } = settings;
  const texts = await timeTexts(context, request);
  const { totp, recoveryCodesLeft } = await findFactors(context.store, access.userId);
  const keys = await listOwnKeys(context, access);
  const state: TwoStepState = {
    ...(await settingsState(context, settings)),
    totp_registered: totp,
    count_registered_fido2_devices: keys.length,
    ...stateFromUrl(request, "status"),
  };
  return {
    title: pageTitle(texts.t, texts.t("manageMfa.title")),
    state,
    keys: keys.map((key) => securityKeyTexts(key, texts)),
    recoveryCodesLeft,
  };
}

/** The page at /manage/mfa: the user's second factors, with a link to change each. */
export default function TwoStep() {
  const { t } = useTranslation();
  const { state, keys, recoveryCodesLeft } = useDocumentState(useLoaderData<typeof loader>());
  const isProtected = state.totp_registered || keys.length > 0;
  return (
    <SettingsPage
      title={t("manageMfa.heading")}
      lead={t("manageMfa.intro")}
      back={{ to: "/manage", text: t("manageError.back") }}
      before={
        <>
          {state.status === undefined ? null : <StatusBanner key={state.status} status={state.status} />}
          {isProtected && recoveryCodesLeft === 0 ? <RecoveryCodesOffer xsrf={state.xsrf_token} /> : null}
        </>
      }
    >
      <Ledger id="factors" heading={t("manageMfa.factors.heading")}>
        <TotpRow isSetUp={state.totp_registered} />
        <SecurityKeysRow count={keys.length} />
      </Ledger>
      {keys.length > 0 ? <SecurityKeys keys={keys} /> : null}
      {isProtected ? <RecoveryCodes left={recoveryCodesLeft} /> : null}
    </SettingsPage>
  );
}

function TotpRow({ isSetUp }: { isSetUp: boolean }): ReactNode {
  const { t } = useTranslation();
  const to = isSetUp ? "/manage/mfa/totp/remove" : "/manage/mfa/register-totp";
  return (
    <LedgerRow
      label={t("manageMfa.totp.name")}
      value={
        <>
          {isSetUp ? <CheckState>{t("manageMfa.totp.registered")}</CheckState> : t("manageMfa.totp.notRegistered")}
          <small className="about">{t("manageMfa.totp.description")}</small>
        </>
      }
      action={<LineLink to={to}>{t(isSetUp ? "manageMfa.totp.remove" : "manageMfa.totp.add")}</LineLink>}
    />
  );
}

function SecurityKeysRow({ count }: { count: number }): ReactNode {
  const { t } = useTranslation();
  return (
    <LedgerRow
      label={t("manageMfa.fido2.name")}
      value={
        <>
          {count > 0 ? (
            <span className="badge">{t("manageMfa.fido2.count", { count })}</span>
          ) : (
            t("manageMfa.fido2.none")
          )}
          <small className="about">{t("manageMfa.fido2.description")}</small>
        </>
      }
      action={<LineLink to="/manage/mfa/register-fido2">{t("manageMfa.fido2.add")}</LineLink>}
    />
  );
}

function SecurityKeys({ keys }: { keys: readonly SecurityKeyTexts[] }): ReactNode {
  const { t } = useTranslation();
  const lead = keys.length === 1 ? { lead: t("manageMfa.fido2.secondKeyHint") } : {};
  return (
    <Ledger id="keys" heading={t("manageMfa.keys.heading")} {...lead}>
      {keys.map((key) => (
        <LedgerRow
          key={key.id}
          label={
            <span className="key-name" translate="no">
              {key.name}
            </span>
          }
          value={<SecurityKeyDescription {...key} />}
          action={
            <LineLink to={`/manage/mfa/keys/${key.id}`}>
              {t("manageMfa.keys.edit")}
              <span className="visually-hidden" translate="no">
                : {key.name}
              </span>
            </LineLink>
          }
        />
      ))}
    </Ledger>
  );
}

function RecoveryCodes({ left }: { left: number }): ReactNode {
  const { t } = useTranslation();
  return (
    <Ledger id="codes" heading={t("manageMfa.codes.heading")}>
      <LedgerRow
        label={t("manageMfa.codes.label")}
        value={left > 0 ? t("recovery.remaining", { count: left }) : t("manageMfa.codes.none")}
        action={<LineLink to="/manage/mfa/recovery-codes">{t("manageMfa.codes.action")}</LineLink>}
      />
    </Ledger>
  );
}
