import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { NEW_PASSWORD_ID, NEW_PASSWORD_REPEAT_ID } from "#app/client/attributes.ts";
import { PASSWORD_RULES_FOR_MANAGERS, type RuleVerdict } from "#app/domain/password/rules.ts";
import { PasswordChecklist } from "./password-checklist.tsx";
import { PasswordField } from "./password-field.tsx";
import { StrengthMeter } from "./strength-meter.tsx";

/** The ids of the two fields; password managers know them, so they never change. */
export const NEW_PASSWORD_FIELD = NEW_PASSWORD_ID;
export const REPEAT_FIELD = NEW_PASSWORD_REPEAT_ID;

type NewPasswordFieldsProps = {
  /** What the form calls its two fields. */
  names: { password: string; repeat: string };
  /** What is wrong with a field, the same text as in the summary. */
  errors?: { password?: string | undefined; repeat?: string | undefined };
  /** The verdicts on the password that was refused; empty while there is none. */
  rules: readonly RuleVerdict[];
};

const RULES_ID = "rules";

/**
 * A new password, typed twice, with what it needs and how strong it is. They stand in a NewPasswordForm; the tips
 * stand behind it, so that the button is not far.
 */
export function NewPasswordFields({ names, errors = {}, rules }: NewPasswordFieldsProps): ReactNode {
  const { t } = useTranslation();
  // A word that React does not know: for password managers that make one up.
  const forManagers = { passwordrules: PASSWORD_RULES_FOR_MANAGERS };
  return (
    <>
      <PasswordField
        id={NEW_PASSWORD_FIELD}
        name={names.password}
        label={t("field.newPassword.label")}
        show={t("field.newPassword.show")}
        hide={t("field.newPassword.hide")}
        error={errors.password}
        about={RULES_ID}
        input={{ ...forManagers, autoComplete: "new-password", enterKeyHint: "next", required: true }}
      />
      <StrengthMeter />
      <PasswordChecklist id={RULES_ID} rules={rules} />
      <PasswordField
        id={REPEAT_FIELD}
        name={names.repeat}
        label={t("field.newPasswordRepeat.label")}
        show={t("field.newPasswordRepeat.show")}
        hide={t("field.newPasswordRepeat.hide")}
        error={errors.repeat}
        input={{ ...forManagers, autoComplete: "new-password", enterKeyHint: "go", required: true }}
      />
    </>
  );
}
