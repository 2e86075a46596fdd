import type { ParseKeys, TFunction } from "i18next";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import type { FormResult } from "#app/http/define-form.server.ts";
import type { Problem } from "#app/ui/error-summary.tsx";

/** Text keys of the errors of a field. */
const FIELD_TEXTS: { readonly [Code in ErrorCode]?: ParseKeys } = {
  "name is empty": "manageProfile.error.nameEmpty",
  "name is invalid": "manageProfile.error.nameInvalid",
  "phone is invalid": "manageProfile.error.phoneInvalid",
  "email is empty": "manageProfile.error.emailEmpty",
  "email is invalid": "manageProfile.error.emailInvalid",
  "email is unchanged": "manageProfile.error.emailUnchanged",
};

type RejectedForm = {
  state: { error?: ErrorCode | undefined };
  lastResult?: FormResult | undefined;
  waitMinutes?: number | undefined;
};

/** Returns the errors of a rejected form: one for each wrong field, or that of the form as a whole; [] without one. */
export function profileProblems(
  t: TFunction,
  { state: { error }, lastResult, waitMinutes = 1 }: RejectedForm,
): Problem[] {
  switch (error) {
    case undefined:
      return [];
    case "xsrf":
      return [{ text: t("common.formExpired") }];
    case "throttled":
      return [{ text: t("managePassword.error.tooMany", { count: waitMinutes }) }];
  }
  const problems = Object.entries(lastResult?.error ?? {}).flatMap(([field, codes]) => {
    const key = FIELD_TEXTS[codes?.[0] ?? error];
    return key && codes ? [{ field, text: t(key) }] : [];
  });
  return problems.length > 0 ? problems : [{ text: t("managePassword.error.parse") }];
}

/** Returns the text of the error at a field. */
export function problemAt(problems: readonly Problem[], name: string): string | undefined {
  return problems.find(({ field }) => field === name)?.text;
}
