import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PASSWORD_RULES_FOR_MANAGERS, type RuleResult } from "#app/domain/password/rules.ts";
import { PasswordChecklist } from "./password-checklist.tsx";
import { PasswordField } from "./password-field.tsx";
import { StrengthMeter } from "./strength-meter.tsx";

/** Ids of the two fields. Password managers rely on them, so they must not change. */
export const NEW_PASSWORD_FIELD = "new-password";
export const REPEAT_FIELD = "new-password-repeat";

type NewPasswordFieldsProps = {
  /** Names of the two fields. */
  names: { password: string; repeat: string };
  /** Errors of the fields, the same texts as in the summary. */
  errors: { password?: string | undefined; repeat?: string | undefined };
  /** Results of the rules for the refused password; empty if there is none. Shown if one of them is not met. */
  rules: readonly RuleResult[];
};

const RULES_ID = "rules";

/** Fields for a new password and its repetition, with the strength meter and the rules. Used inside NewPasswordForm. */
export function NewPasswordFields({ names, errors, rules }: NewPasswordFieldsProps): ReactNode {
  const { t } = useTranslation();
  // The fields are empty again. Rules that are all met would look like a password that is still there.
  const shownRules = rules.every(({ met }) => met) ? [] : rules;
  // Attribute unknown to React; password managers read it when they generate a password.
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
      <PasswordChecklist id={RULES_ID} rules={shownRules} />
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
