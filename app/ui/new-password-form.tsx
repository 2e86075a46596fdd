import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { NEW_PASSWORD_FORM } from "#app/client/attributes.ts";

type NewPasswordFormProps = {
  action: string;
  username: string;
  children: ReactNode;
};

/** A form for a new password. The client script checks the password while the user types, as the server does later. */
export function NewPasswordForm({ action, username, children }: NewPasswordFormProps): ReactNode {
  return (
    <form className="flow" method="post" action={action} noValidate {...{ [NEW_PASSWORD_FORM]: "" }}>
      <AccountForManagers username={username} />
      {children}
    </form>
  );
}

/** Hidden field from which password managers read the user name. It has no `name`, so it is not submitted. */
function AccountForManagers({ username }: { username: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <div hidden>
      <label htmlFor="username">{t("field.username.label")}</label>
      <input id="username" type="text" autoComplete="username" readOnly defaultValue={username} />
    </div>
  );
}
