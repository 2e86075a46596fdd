import type { InputHTMLAttributes, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CAPS_LOCK_TEXT, capsLockHintId, passwordStatusId } from "#app/client/attributes.ts";
import { describedBy } from "./field.tsx";
import { FieldError, fieldErrorId } from "./field-error.tsx";
import { ShowPassword } from "./show-password.tsx";

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

/** A password field, rendered without a value. The client script reveals the show button and the Caps Lock hint. */
export function PasswordField({ id, name, label, show, hide, error, about, input }: PasswordFieldProps): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="field pair">
      <label htmlFor={id}>{label}</label>
      <FieldError field={id} text={error} />
      <div className="secret">
        <input
          className="input"
          id={id}
          name={name}
          type="password"
          autoCapitalize="none"
          spellCheck={false}
          {...(error ? { "aria-invalid": true } : {})}
          aria-describedby={describedBy([error && fieldErrorId(id), about, capsLockHintId(id)])}
          {...{ [CAPS_LOCK_TEXT]: t("field.capsLock") }}
          {...input}
        />
        {input.disabled ? null : <ShowPassword field={id} show={show} hide={hide} />}
      </div>
      <p className="field-hint" id={capsLockHintId(id)} hidden />
      <div className="visually-hidden" id={passwordStatusId(id)} aria-live="polite" />
    </div>
  );
}
