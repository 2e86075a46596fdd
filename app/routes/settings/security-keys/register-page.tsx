import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { FactorTexts } from "#app/ui/factor-texts.tsx";
import { KeyForm } from "#app/ui/key-form.tsx";
import { KeyNameField } from "#app/ui/key-name-field.tsx";
import { keyTexts } from "#app/ui/key-texts.ts";
import { NeedsScript } from "#app/ui/needs-script.tsx";
import { Notice } from "#app/ui/notice.tsx";
import type { SettingsState } from "#app/ui/page-state.ts";
import { REGISTRATION_TIMEOUT_SECONDS } from "#app/ui/security-key.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type OwnKeySetUpScreenProps = {
  state: SettingsState;
  /** Whether there is an authenticator app already: the other way for a browser that reaches no key. */
  hasTotp: boolean;
  /** False where the web address has no place for security keys: an IP address. */
  keysWork: boolean;
};

/** The page at /manage/mfa/register-fido2: one more security key. All of it is the script's work. */
export function OwnKeySetUpScreen(props: OwnKeySetUpScreenProps): ReactNode {
  const { t } = useTranslation();
  return (
    <SettingsPage title={t("manageFido2.heading")} back={{ to: "/manage/mfa", text: t("manageMfa.back") }}>
      {props.keysWork ? <NewKey {...props} /> : <NoKeysHere {...props} />}
    </SettingsPage>
  );
}

const PAGE = "/manage/mfa/register-fido2";

function NewKey({ state, hasTotp }: OwnKeySetUpScreenProps): ReactNode {
  const { t } = useTranslation();
  const texts = {
    ...keyTexts(t),
    success: t("manageFido2.success"),
    InvalidStateError: t("webauthn.error.invalidState"),
    taken: t("webauthn.error.invalidState"),
    expired: t("manageFido2.expired"),
    reauthentication_required: t("manageFido2.confirm"),
  };
  return (
    <div className="flow">
      <NeedsScript>
        <AppInstead hasTotp={hasTotp} />
      </NeedsScript>
      <KeyForm
        action={PAGE}
        kind="own-key"
        hidden={<XsrfInput token={state.xsrf_token} />}
        productName={t("common.productName")}
        timeoutSeconds={REGISTRATION_TIMEOUT_SECONDS}
        explain={t("manageFido2.explain")}
        start={t("manageFido2.start")}
        fields={<KeyNameField />}
        cancel={
          <ButtonLink href="/manage" quiet>
            {t("manageFido2.abort")}
          </ButtonLink>
        }
      />
      <FactorTexts restartHref={PAGE} restart={t("manageFido2.restart")} texts={texts} />
      <p className="note">{t("manageMfa.fido2.secondKeyHint")}</p>
    </div>
  );
}

/** The address of this installation is none that keys can be registered for. */
function NoKeysHere({ hasTotp }: OwnKeySetUpScreenProps): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="flow">
      <Notice kind="attention">
        <p>{t("webauthn.error.security")}</p>
      </Notice>
      <div className="actions">
        <AppInstead hasTotp={hasTotp} />
        <ButtonLink href="/manage" quiet>
          {t("manageFido2.abort")}
        </ButtonLink>
      </div>
    </div>
  );
}

function AppInstead({ hasTotp }: { hasTotp: boolean }): ReactNode {
  const { t } = useTranslation();
  return hasTotp ? null : <ButtonLink href="/manage/mfa/register-totp">{t("manageMfa.totp.add")}</ButtonLink>;
}

export function ownKeySetUpTitle(t: TFunction): string {
  return pageTitle(t, t("manageFido2.title"));
}
