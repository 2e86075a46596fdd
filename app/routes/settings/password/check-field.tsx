import type { ReactNode } from "react";

type CheckFieldProps = { id: string; name: string; label: string; hint?: string; isChecked: boolean };

/** A box to tick; its whole line can be pressed. */
export function CheckField({ id, name, label, hint, isChecked }: CheckFieldProps): ReactNode {
  const hintId = `${id}-hint`;
  return (
    <div className="check">
      <input
        id={id}
        type="checkbox"
        name={name}
        value="yes"
        defaultChecked={isChecked}
        aria-describedby={hint ? hintId : undefined}
      />
      <label htmlFor={id}>{label}</label>
      {hint ? (
        <p className="field-hint" id={hintId}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}
