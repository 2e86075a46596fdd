import type { ReactNode } from "react";

/** `name`: typed by a user. */
type Choice = { id: string; name: string; isChecked: boolean };

type GroupChecksProps = { legend: string; choices: readonly Choice[] };

/** A checkbox for each group, with its name. Posts `group` with the id of each checked one. */
export function GroupChecks({ legend, choices }: GroupChecksProps): ReactNode {
  return (
    <fieldset className="field checks">
      <legend>{legend}</legend>
      {choices.map(({ id, name, isChecked }) => (
        <div className="check" key={id}>
          <input id={`group-${id}`} type="checkbox" name="group" value={id} defaultChecked={isChecked} />
          <label htmlFor={`group-${id}`} translate="no">
            {name}
          </label>
        </div>
      ))}
    </fieldset>
  );
}
