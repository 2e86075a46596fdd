import type { ReactNode } from "react";

type CheckboxProps = { id: string; name: string; label: string; hint: string; isChecked: boolean };

/** A checkbox with its label and hint. Posts "yes" if it is checked. */
export function Checkbox({ id, name, label, hint, isChecked }: CheckboxProps): ReactNode {
  const hintId = `${id}-hint`;
  return (
    <div className="check">
      <input id={id} type="checkbox" name={name} value="yes" defaultChecked={isChecked} aria-describedby={hintId} />
      <label htmlFor={id}>{label}</label>
      <p className="field-hint" id={hintId}>
        {hint}
      </p>
    </div>
  );
}
