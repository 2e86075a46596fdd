import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { KEY_STATUS, SCRIPT_ONLY } from "#app/client/attributes.ts";
import { ASSERTION_TIMEOUT_MS, REGISTRATION_TIMEOUT_MS } from "#app/domain/webauthn/options.ts";

/** Timeouts of the browser's dialogs for a registered key and for a new key. */
export const ASSERTION_TIMEOUT_SECONDS = ASSERTION_TIMEOUT_MS / 1000;
export const REGISTRATION_TIMEOUT_SECONDS = REGISTRATION_TIMEOUT_MS / 1000;

/** Status panel of a security-key ceremony. Hidden until the client script reveals it. */
export function SecurityKey({ timeoutSeconds }: { timeoutSeconds: number }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="key-panel" hidden {...{ [SCRIPT_ONLY]: "" }}>
      <KeyPicture />
      <div className="pair">
        <p>
          <b>{t("mfaLogin.fido2.prompt")}</b>
        </p>
        <p className="lead">{t("mfaLogin.fido2.timeHint", { count: timeoutSeconds })}</p>
        <p className="key-status" aria-live="polite" {...{ [KEY_STATUS]: "" }} />
      </div>
    </div>
  );
}

function KeyPicture(): ReactNode {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M3 10a2 2 0 0 1 2-2h9a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM16 10h5v4h-5M6.5 12a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0" />
    </svg>
  );
}
