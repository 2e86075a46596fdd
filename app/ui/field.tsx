import type { InputHTMLAttributes, ReactNode } from "react";
import { FieldError, fieldErrorId } from "./field-error.tsx";

type FieldProps = {
  /** Fixed by the product, not by React: password managers recognise a field by it. */
  id: string;
  /** Without one the field is not sent. */
  name?: string;
  label: string;
  hint?: string;
  error?: string | undefined;
  input: InputHTMLAttributes<HTMLInputElement>;
};

/** A text field: label, hint, error, input, in this order for eyes and for screen readers. */
export function Field({ id, name, label, hint, error, input }: FieldProps): ReactNode {
  const hintId = `${id}-hint`;
  return (
    <div className="field pair">
      <label htmlFor={id}>{label}</label>
      {hint ? (
        <p className="field-hint" id={hintId}>
          {hint}
        </p>
      ) : null}
      <FieldError field={id} text={error} />
      <input
        className="input"
        id={id}
        name={name}
        {...(error ? { "aria-invalid": true } : {})}
        aria-describedby={describedBy([hint && hintId, error && fieldErrorId(id)])}
        {...input}
      />
    </div>
  );
}

/** The ids that are there, as `aria-describedby` wants them; none at all where there are none. */
export function describedBy(ids: readonly (string | undefined)[]): string | undefined {
  return ids.filter(Boolean).join(" ") || undefined;
}
