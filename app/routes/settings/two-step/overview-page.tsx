import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CheckState, Ledger, LedgerRow } from "#app/routes/settings/ledger.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import {
  RecoveryCodesOffer,
  SecurityKeyDescription,
  type SecurityKeyTexts,
} from "#app/routes/settings/second-factors.tsx";
import { StatusBanner } from "#app/routes/settings/status-banner.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import type { TwoStepState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export type TwoStepScreenProps = {
  state: TwoStepState;
  keys: readonly SecurityKeyTexts[];
  recoveryCodesLeft: number;
};

/** The page at /manage/mfa: the second factors, and what there is to do about each. */
export function TwoStepScreen({ state, keys, recoveryCodesLeft }: TwoStepScreenProps): ReactNode {
  const { t } = useTranslation();
  const isProtected = state.totp_registered || keys.length > 0;
  const hasNoWayBack = isProtected && recoveryCodesLeft === 0;
  return (
    <SettingsPage
      title={t("manageMfa.heading")}
      lead={t("manageMfa.intro")}
      back={{ to: "/manage", text: t("manageError.back") }}
      before={
        <>
          {state.status === undefined ? null : <StatusBanner key={state.status} status={state.status} />}
          {hasNoWayBack ? <RecoveryCodesOffer /> : null}
        </>
      }
    >
      <Ledger id="factors" heading={t("manageMfa.factors.heading")}>
        <TotpRow isSetUp={state.totp_registered} />
        <KeysRow count={keys.length} />
      </Ledger>
      {keys.length > 0 ? <Keys keys={keys} /> : null}
      {isProtected ? <Codes left={recoveryCodesLeft} /> : null}
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

function KeysRow({ count }: { count: number }): ReactNode {
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

function Keys({ keys }: { keys: readonly SecurityKeyTexts[] }): ReactNode {
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

function Codes({ left }: { left: number }): ReactNode {
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

export function twoStepTitle(t: TFunction): string {
  return pageTitle(t, t("manageMfa.title"));
}
