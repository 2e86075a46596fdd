import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { factorTexts } from "./factor-texts.ts";
import { WithoutScript } from "./key-form.tsx";
import { LineIcon } from "./line-icon.tsx";

/** Path of the icon of passkeys: a key. */
export const PASSKEY_ICON = "M7 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM9.9 9.9 17 17M13 13l2.2-2.2M15.8 15.8l1.7-1.7";

type PasskeyFormProps = {
  /** URL of the form. In the settings the script calls the API instead. */
  action: "/manage/mfa/register-passkey" | "/login/passkey-offer";
  purpose: "passkey" | "offered-passkey";
  /** The texts of the ceremony: the result of `passkeyTexts`. */
  texts: string;
  /** Hidden fields of the form. */
  hidden: ReactNode;
  /** Shown to browsers that cannot set up a passkey. */
  fallback?: ReactNode;
  /** A button or link after the button that starts the ceremony. */
  later: ReactNode;
};

/**
 * Form that sets up a passkey. The client script runs the ceremony when the user presses the button, which is hidden
 * without it.
 */
export function PasskeyForm(props: PasskeyFormProps): ReactNode {
  const { t } = useTranslation();
  const { action, purpose, texts, hidden, fallback, later } = props;
  return (
    <security-key purpose={purpose} product-name={t("common.productName")} texts={texts}>
      {fallback ? <WithoutScript>{fallback}</WithoutScript> : null}
      <form className="flow" method="post" action={action} noValidate>
        {hidden}
        {/* The script shows it when the user presses the button. */}
        <div className="key-panel" tabIndex={-1} hidden>
          <LineIcon path={PASSKEY_ICON} strokeWidth={1.5} />
          <div className="pair">
            <p className="key-prompt">{t("webauthn.passkey.prompt")}</p>
            <p className="key-status" aria-live="polite" />
          </div>
        </div>
        <div className="actions">
          <button className="key-start button" type="submit" hidden>
            {t("webauthn.passkey.start")}
          </button>
          {later}
        </div>
      </form>
    </security-key>
  );
}

type PasskeyTexts = {
  /** URL that loads the page again. */
  restartHref: string;
  restart: string;
  success: string;
  expired: string;
  /** Shown if the last sign-in was too long ago. */
  confirm: string;
};

/** Returns the attribute `texts` of a form that sets up a passkey, including one per `DOMException` name. */
export function passkeyTexts(t: TFunction, { restartHref, restart, success, expired, confirm }: PasskeyTexts): string {
  return factorTexts(t, {
    restartHref,
    restart,
    texts: {
      waiting: t("webauthn.passkey.waiting"),
      verifying: t("webauthn.passkey.verifying"),
      retry: t("webauthn.passkey.start"),
      network: t("mfaLogin.error.network"),
      cancelled: t("webauthn.passkey.cancelled"),
      InvalidStateError: t("webauthn.passkey.invalidState"),
      taken: t("webauthn.passkey.invalidState"),
      NotSupportedError: t("webauthn.passkey.notSupported"),
      ConstraintError: t("webauthn.passkey.constraint"),
      SecurityError: t("webauthn.passkey.security"),
      unavailable: t("webauthn.passkey.security"),
      verification: t("webauthn.passkey.verification"),
      generic: t("webauthn.passkey.generic"),
      reauthentication_required: confirm,
      expired,
      success,
    },
  });
}
