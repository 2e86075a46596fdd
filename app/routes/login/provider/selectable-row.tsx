import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { initials } from "#app/ui/account-row.tsx";
import type { AccountSelection } from "#app/ui/page-state.ts";

type SelectableRowProps = {
  id: string;
  account: AccountSelection["accounts"][number];
  isChosen: boolean;
};

/** One account of a choice: whose it is, in which group, and why it cannot be chosen, if it cannot. */
export function SelectableRow({ id, account, isChosen }: SelectableRowProps): ReactNode {
  const { t } = useTranslation();
  const { name, group_name: group, blocked } = account;
  const reason = `${id}-reason`;
  return (
    <div className="choice">
      <input
        type="radio"
        id={id}
        name="username"
        value={account.id}
        defaultChecked={isChosen}
        disabled={blocked}
        aria-describedby={blocked ? reason : undefined}
      />
      <label htmlFor={id}>
        <span className="initials" aria-hidden="true">
          {initials(name)}
        </span>
        <span>
          <b translate="no">{name}</b>
          {group ? <small>{t("selectAccount.group", { group })}</small> : null}
        </span>
      </label>
      {blocked ? (
        <p className="note" id={reason}>
          {t("selectAccount.blocked")}
        </p>
      ) : null}
    </div>
  );
}
