import type { ReactNode } from "react";
import { Submit } from "./submit.tsx";

type SavePasswordProps = {
  busy?: string;
  /** Content next to the button, e.g. a cancel link. */
  beside?: ReactNode;
  children: ReactNode;
};

/** The submit button of a new password. The client script blocks it until all rules are met, and lists the others. */
export function SavePassword({ busy, beside, children }: SavePasswordProps): ReactNode {
  const save = <Submit {...(busy ? { busy } : {})}>{children}</Submit>;
  return (
    <div className="pair">
      {beside ? (
        <div className="actions">
          {save}
          {beside}
        </div>
      ) : (
        save
      )}
      <div className="missing note" role="status" />
    </div>
  );
}
