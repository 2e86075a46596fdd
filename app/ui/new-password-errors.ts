import type { TFunction } from "i18next";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import type { Problem } from "./error-summary.tsx";
import { NEW_PASSWORD_FIELD, REPEAT_FIELD } from "./new-password-fields.tsx";

/**
 * Returns the texts of a refused new password, at the page of a link. `containsName`: with "password-common", the
 * password contains a name of the user.
 */
export function refusalTexts(
  t: TFunction,
  error: ErrorCode,
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
    case "password-common": {
      const text = containsName
        ? t("passwordReset.form.error.password-name")
        : t("passwordReset.form.error.password-common");
      return { problem: { text, field: NEW_PASSWORD_FIELD } };
    }
    case "overloaded":
      return { problem: { text: t("serverError.overload.description") } };
    default:
      return { problem: { text: t("passwordReset.form.error.form-expired") } };
  }
}
