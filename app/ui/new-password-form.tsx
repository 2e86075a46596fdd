import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { NEW_PASSWORD_FORM } from "#app/client/attributes.ts";

type NewPasswordFormProps = {
  action: string;
  /** Whose password it is. */
  username: string;
  children: ReactNode;
};

/** A form that takes a new password. The script checks it while somebody types; without it the server does, once. */
export function NewPasswordForm({ action, username, children }: NewPasswordFormProps): ReactNode {
  return (
    <form className="flow" method="post" action={action} noValidate {...{ [NEW_PASSWORD_FORM]: "" }}>
      <AccountForManagers username={username} />
      {children}
    </form>
  );
}

/** Tells a password manager whose password it saves. They look at fields that nobody sees, too; without a name it is not sent. */
function AccountForManagers({ username }: { username: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <div hidden>
      <label htmlFor="username">{t("field.username.label")}</label>
      <input id="username" type="text" autoComplete="username" readOnly defaultValue={username} />
    </div>
  );
}
