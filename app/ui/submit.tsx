import { createContext, type ReactNode, useContext } from "react";

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

/** True within a form that is being sent without a document load. */
export const PendingForm = createContext(false);

/** A submit button. */
export function Submit({ children, name, value, label, busy, disabled = false, ...look }: SubmitProps): ReactNode {
  const { quiet = false, danger = false } = look;
  const isPending = useContext(PendingForm);
  return (
    <button
      className={`button${quiet ? " quiet" : ""}${danger ? " danger" : ""}`}
      type="submit"
      name={name}
      value={value}
      aria-label={label}
      disabled={disabled}
      // Not disabled, so that it keeps the focus.
      aria-disabled={isPending || undefined}
      data-busy-label={busy}
    >
      {isPending && busy ? busy : children}
    </button>
  );
}
