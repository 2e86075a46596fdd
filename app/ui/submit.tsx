import type { ReactNode } from "react";
import { BUSY_LABEL } from "#app/client/attributes.ts";

type SubmitProps = {
  children: ReactNode;
  /** For a form with several answers: the field that tells which one was given. */
  name?: string;
  value?: string;
  /** What it does, for those who do not see where it stands. Begins with the words on it. */
  label?: string;
  /** The button's label while the form is on its way. */
  busy?: string;
  /** For every answer but the page's one primary one. */
  quiet?: boolean;
  /** For what cannot be undone. */
  danger?: boolean;
  disabled?: boolean;
};

/** The button that sends a form. */
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
