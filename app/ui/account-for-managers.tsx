import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** Hidden field from which password managers read the user name. It has no `name`, so it is not submitted. */
export function AccountForManagers({ username }: { username: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <div hidden>
      <label htmlFor="username">{t("field.username.label")}</label>
      <input id="username" type="text" autoComplete="username" readOnly defaultValue={username} />
    </div>
  );
}
