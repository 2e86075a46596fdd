import type { TFunction } from "i18next";
import type { Problem } from "#app/ui/error-summary.tsx";
import { NEW_PASSWORD_FIELD, REPEAT_FIELD } from "#app/ui/new-password-fields.tsx";
import type { PasswordResetError } from "#app/ui/page-state.ts";

/**
 * What the form for a new password says about a refusal, and at which field. `containsName`: the password is refused
 * because of a name in it, not because it is on a list.
 */
export function passwordResetProblem(
  t: TFunction,
  error: PasswordResetError,
  containsName: boolean,
): { quote?: string; problem: Problem } {
  switch (error) {
    case "empty-password":
      return {
        quote: t("passwordReset.form.quote.empty-password"),
        problem: { text: t("passwordReset.form.error.empty-password"), field: NEW_PASSWORD_FIELD },
      };
    case "empty-password-repeat":
      return {
        quote: t("passwordReset.form.quote.empty-password-repeat"),
        problem: { text: t("passwordReset.form.error.empty-password-repeat"), field: REPEAT_FIELD },
      };
    case "passwords-not-equal":
      return {
        quote: t("passwordReset.form.quote.passwords-not-equal"),
        problem: { text: t("passwordReset.form.error.passwords-not-equal"), field: REPEAT_FIELD },
      };
    case "password-strength":
      return {
        quote: t("passwordReset.form.quote.password-strength"),
        problem: { text: t("passwordReset.form.error.password-strength"), field: NEW_PASSWORD_FIELD },
      };
    case "password-common":
      return { problem: { text: commonText(t, containsName), field: NEW_PASSWORD_FIELD } };
    case "xsrf":
      return { problem: { text: t("passwordReset.form.error.form-expired") } };
    case "overloaded":
      return { problem: { text: t("serverError.overload.description") } };
  }
}

function commonText(t: TFunction, containsName: boolean): string {
  return containsName ? t("passwordReset.form.error.password-name") : t("passwordReset.form.error.password-common");
}
