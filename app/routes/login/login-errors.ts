import type { TFunction } from "i18next";
import { PROVIDER_NAMES, type Provider } from "#app/config/providers.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import type { Problem } from "#app/ui/error-summary.tsx";

/** The ids of the two fields. They never change, because password managers store them. */
export const USERNAME_FIELD = "username";
export const PASSWORD_FIELD = "current-password";

type ErrorDetails = {
  waitMinutes?: number | undefined;
  errors?: readonly ErrorCode[] | undefined;
  provider?: Provider | undefined;
  isBlocked?: boolean | undefined;
};

/** Returns the texts of an error and their fields. Never reveals whether the user name or the password was wrong. */
export function loginProblems(
  t: TFunction,
  error: ErrorCode | undefined,
  { waitMinutes = 1, errors = [], provider, isBlocked }: ErrorDetails,
): { quote?: string; problems: Problem[] } {
  switch (error) {
    case undefined:
    case "challenge":
      return { problems: [] };
    case "credentials":
      if (provider) return { problems: [{ text: t(`login.error.${provider}`) }] };
      // The sign-in was at a provider: the text does not mention a password.
      if (isBlocked) return { problems: [{ text: t("selectAccount.blocked") }] };
      return {
        quote: t("login.error.credentialsQuote"),
        problems: [{ text: t("login.error.credentials"), field: PASSWORD_FIELD }],
      };
    case "passkey refused":
      return { problems: [{ text: t("login.error.passkey") }] };
    case "username is empty":
    case "empty-password":
      return { problems: emptyFields(t, errors.length > 0 ? errors : [error]) };
    case "throttled":
      return { problems: [{ text: t("login.error.rateLimited", { count: waitMinutes }) }] };
    case "overloaded":
      return { problems: [{ text: t("serverError.overload.description") }] };
    default:
      return { problems: [{ text: provider ? expiredText(t, provider) : t("login.error.formExpired") }] };
  }
}

function expiredText(t: TFunction, provider: Provider): string {
  return t("selectAccount.error.expired", { provider: PROVIDER_NAMES[provider] });
}

function emptyFields(t: TFunction, errors: readonly ErrorCode[]): Problem[] {
  return errors.map((error) =>
    error === "empty-password"
      ? { text: t("login.error.passwordMissing"), field: PASSWORD_FIELD }
      : { text: t("login.error.usernameMissing"), field: USERNAME_FIELD },
  );
}
