import type { ReactNode } from "react";
import { BUSY_LABEL } from "#app/client/attributes.ts";

type SubmitProps = {
  children: ReactNode;
  /** For a form with several submit buttons: name of the field that identifies the pressed one. */
  name?: string;
  value?: string;
  /** Accessible name if the visible label needs context; begins with the visible label. */
  label?: string;
  /** Label while the form is being submitted. */
  busy?: string;
  /** For every button except the page's primary one. */
  quiet?: boolean;
  /** For irreversible actions. */
  danger?: boolean;
  disabled?: boolean;
};

/** A submit button. */
export function Submit({ children, name, value, label, busy, disabled = false, ...look }: SubmitProps): ReactNode {
  const { quiet = false, danger = false } = look;
  return (
    <button
      className={`button${quiet ? " quiet" : ""}${danger ? " danger" : ""}`}
      type="submit"
      name={name}
      value={value}
      aria-label={label}
      disabled={disabled}
      {...(busy ? { [BUSY_LABEL]: busy } : {})}
    >
      {children}
    </button>
  );
}
