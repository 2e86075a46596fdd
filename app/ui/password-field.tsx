import type { InputHTMLAttributes, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { describedBy } from "./field.tsx";
import { FieldError, fieldErrorId } from "./field-error.tsx";

type PasswordFieldProps = {
  id: string;
  name: string;
  label: string;
  /** Accessible names of the show button, distinct for each password field on a page. */
  show: string;
  hide: string;
  error?: string | undefined;
  /** Ids of additional elements for `aria-describedby`. */
  about?: string | undefined;
  input: InputHTMLAttributes<HTMLInputElement>;
};

/** A password field, rendered without a value. The client script adds the show button and the Caps Lock hint. */
export function PasswordField({ id, name, label, show, hide, error, about, input }: PasswordFieldProps): ReactNode {
  const { t } = useTranslation();
  const capsLockId = `${id}-caps`;
  return (
    <div className="field pair">
      <label htmlFor={id}>{label}</label>
      <FieldError field={id} text={error} />
      <show-password
        class="secret"
        show-text={t("common.show")}
        hide-text={t("common.hide")}
        show-label={show}
        hide-label={hide}
        shown-status={t("field.password.shownStatus")}
        hidden-status={t("field.password.hiddenStatus")}
      >
        <input
          className="input"
          id={id}
          name={name}
          type="password"
          autoCapitalize="none"
          spellCheck={false}
          {...(error ? { "aria-invalid": true } : {})}
          aria-describedby={describedBy([error && fieldErrorId(id), about, capsLockId])}
          {...input}
        />
        <div className="visually-hidden" id={`${id}-status`} aria-live="polite" />
      </show-password>
      <caps-lock-hint class="caps-lock" id={capsLockId} for={id} text={t("field.capsLock")} hidden />
    </div>
  );
}
