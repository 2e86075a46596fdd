import type { TFunction } from "i18next";
import type { Problem } from "#app/ui/error-summary.tsx";
import { NEW_PASSWORD_FIELD, REPEAT_FIELD } from "#app/ui/new-password-fields.tsx";
import type { PasswordChangeError } from "#app/ui/page-state.ts";

/** The field of the password that the person has now. */
export const CURRENT_PASSWORD_FIELD = "current-password";

export type PasswordErrorDetails = {
  /** With `password-common`: it is refused because of a name in it. */
  containsName?: boolean | undefined;
  /** With `throttled`: how long to wait, rounded up. */
  waitMinutes?: number | undefined;
};

type Refusal = { quote: string; problem: Problem };

/** What the form for another password says about a refusal, and at which field. */
export function passwordChangeProblem(
  t: TFunction,
  error: PasswordChangeError,
  { containsName = false, waitMinutes = 1 }: PasswordErrorDetails,
): Refusal {
  const unchanged = t("managePassword.error.summary");
  const at = (field: string | undefined, text: string, quote = unchanged): Refusal => {
    return { quote, problem: { text, field } };
  };
  switch (error) {
    case "No password given":
      return at(
        CURRENT_PASSWORD_FIELD,
        t("managePassword.error.currentMissing"),
        t("managePassword.quote.currentMissing"),
      );
    case "Current password invalid":
      return at(
        CURRENT_PASSWORD_FIELD,
        t("managePassword.error.currentInvalid"),
        t("managePassword.quote.currentInvalid"),
      );
    case "empty-password":
      return at(NEW_PASSWORD_FIELD, t("managePassword.error.newMissing"), t("managePassword.quote.newMissing"));
    case "empty-password-repeat":
      return at(REPEAT_FIELD, t("managePassword.error.repeatMissing"), t("managePassword.quote.repeatMissing"));
    case "passwords-not-equal":
      return at(REPEAT_FIELD, t("managePassword.error.notEqual"), t("managePassword.quote.notEqual"));
    case "password-strength":
      return at(NEW_PASSWORD_FIELD, t("managePassword.error.rules"), t("managePassword.quote.rules"));
    case "password-common":
      return at(NEW_PASSWORD_FIELD, t(containsName ? "managePassword.error.name" : "managePassword.error.common"));
    case "password-unchanged":
      return at(NEW_PASSWORD_FIELD, t("managePassword.error.sameAsOld"));
    case "Could not parse request":
      return at(undefined, t("managePassword.error.parse"), t("managePassword.quote.parse"));
    case "throttled":
      return at(undefined, t("managePassword.error.tooMany", { count: waitMinutes }));
    case "xsrf":
      return at(undefined, t("managePassword.error.formExpired"));
    case "overloaded":
      return at(undefined, t("serverError.overload.description"));
  }
}
