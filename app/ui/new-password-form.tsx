import type { ComponentProps, ElementType, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { AccountForManagers } from "./account-for-managers.tsx";

type NewPasswordFormProps = ComponentProps<"form"> & {
  username: string;
  /** The component of the form, and a property of it; a plain form by default. */
  as?: ElementType;
  hiddenFields?: Readonly<Record<string, string>>;
};

/** A form for a new password. The client script checks the password while the user types, as the server does later. */
export function NewPasswordForm({ as: Form = "form", username, children, ...form }: NewPasswordFormProps): ReactNode {
  const { t } = useTranslation();
  return (
    <new-password missing={t("passwordRules.missing")} blocked={t("passwordRules.blocked")}>
      <Form className="flow" method="post" noValidate {...form}>
        <AccountForManagers username={username} />
        {children}
      </Form>
      <p className="visually-hidden" aria-live="polite" />
    </new-password>
  );
}
