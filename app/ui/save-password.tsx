import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Submit } from "./submit.tsx";

type SavePasswordProps = {
  busy?: string;
  /** Content next to the button, e.g. a cancel link. */
  beside?: ReactNode;
  children: ReactNode;
};

/** The submit button of a new password. The client script blocks it until all rules are met, and lists the others. */
export function SavePassword({ busy, beside, children }: SavePasswordProps): ReactNode {
  const { t } = useTranslation();
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
      <div className="save-blocked note" id="save-blocked" hidden>
        <p>{t("passwordRules.blocked")}</p>
      </div>
      <div className="missing note" role="status" />
    </div>
  );
}
