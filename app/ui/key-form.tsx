import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ASSERTION_TIMEOUT_MS, REGISTRATION_TIMEOUT_MS } from "#app/domain/webauthn/options.ts";
import { LineIcon } from "./line-icon.tsx";
import { Notice } from "./notice.tsx";

type KeyFormProps = {
  /** URL that the form posts to after the key was accepted; in the settings the script navigates instead. */
  action: "/mfa/verify" | "/mfa/setup" | "/manage/mfa/register-fido2";
  /** The ceremony: a registered key, or a new key during the sign-in or in the settings. */
  purpose: "verify" | "set-up" | "settings";
  /** The texts of the ceremony: the result of `factorTexts`. */
  texts: string;
  /** Texts of the start button and of the prompt; those of a security key by default. */
  start?: string;
  prompt?: string;
  /** Hidden fields of the form. */
  hidden: ReactNode;
  /** Another field of the form, shown with the ceremony. */
  option?: ReactNode;
  /** Shown to browsers that cannot use a security key. */
  alternatives?: ReactNode;
  /** The only cancel button or link, after the start button. */
  cancel: ReactNode;
};

/** Form of a security-key ceremony, which the client script runs. Without the script it offers the alternatives. */
export function KeyForm(props: KeyFormProps): ReactNode {
  const { action, purpose, texts, start, prompt, hidden, option, alternatives, cancel } = props;
  const { t } = useTranslation();
  const isNew = purpose !== "verify";
  return (
    <security-key purpose={purpose} product-name={t("common.productName")} texts={texts}>
      <WithoutScript>
        <Notice kind="info">
          <p>{t("common.noScriptHint")}</p>
        </Notice>
        {alternatives}
      </WithoutScript>
      <form className="flow" method="post" action={action} noValidate>
        {hidden}
        <div className="live flow" hidden>
          {isNew ? <p className="lead">{t("manageFido2.explain")}</p> : null}
          <KeyPanel timeoutMs={isNew ? REGISTRATION_TIMEOUT_MS : ASSERTION_TIMEOUT_MS} prompt={prompt} />
          {option}
          {isNew ? <p className="note">{t("manageMfa.fido2.secondKeyHint")}</p> : null}
        </div>
        <div className="actions">
          <button className="key-start button" type="submit" hidden>
            {start ?? (isNew ? t("manageFido2.start") : t("mfaLogin.fido2.start"))}
          </button>
          {cancel}
        </div>
      </form>
    </security-key>
  );
}

/**
 * Content for browsers that cannot use a security key; `<security-key>` hides it. Not a `<noscript>`, because the script
 * may also fail to load.
 */
export function WithoutScript({ children }: { children: ReactNode }): ReactNode {
  return <div className="no-script flow flow-close">{children}</div>;
}

/** Status of the ceremony. */
function KeyPanel({ timeoutMs, prompt }: { timeoutMs: number; prompt: string | undefined }): ReactNode {
  const { t } = useTranslation();
  const seconds = timeoutMs / 1000;
  return (
    <div className="key-panel" tabIndex={-1}>
      <LineIcon path={KEY} grid={24} strokeWidth={1.5} />
      <div className="pair">
        <div className="key-prompt pair">
          <p>
            <b>{prompt ?? t("mfaLogin.fido2.prompt")}</b>
          </p>
          {/* Outside the live region: a screen reader reads the first number, and no second of the countdown. */}
          <p className="key-seconds lead" data-seconds={seconds}>
            {t("mfaLogin.fido2.timeHint", { count: seconds })}
          </p>
        </div>
        <p className="key-status" aria-live="polite" />
      </div>
    </div>
  );
}

const KEY =
  "M3 10a2 2 0 0 1 2-2h9a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM16 10h5v4h-5M6.5 12a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0";
