import { findReauthenticationName } from "#app/domain/account/reauthenticate.server.ts";
import { isRepeated, type RuleResult } from "#app/domain/password/rules.ts";
import { defineForm, type FormResult, firstError, required, text, withRules } from "#app/http/define-form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import { requireFreshSettings, requireSettings, type Settings } from "#app/http/settings-session.server.ts";
import { requireOverview, settingsState } from "#app/routes/settings/page-data.server.ts";
import type { SettingsFormState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export const passwordForm = withRules(
  defineForm({
    password: required("No password given"),
    newPassword: required("empty-password"),
    newPasswordRepeat: required("empty-password-repeat"),
    endOthers: text(),
  }),
  (schema) =>
    schema.refine(({ newPassword, newPasswordRepeat }) => isRepeated(newPassword, newPasswordRepeat), {
      path: ["newPasswordRepeat"],
      error: "passwords-not-equal",
    }),
);

/** Details of a rejected change, beside its error. */
export type PasswordErrorDetails = {
  /** With a rejected new password: the result of each rule. */
  rules?: readonly RuleResult[] | undefined;
  /** With `password-common`: the password was rejected because it contains a name. */
  containsName?: boolean | undefined;
  /** With `throttled`: minutes until the next attempt, rounded up. */
  waitMinutes?: number | undefined;
};

export type PasswordPage = PageView<
  SettingsFormState,
  PasswordErrorDetails & {
    constraint: typeof passwordForm.constraint;
    lastResult?: FormResult | undefined;
    username: string;
    /** False for a user who signs in only with external accounts. */
    hasPassword: boolean;
    /** True if the box "end all other sessions" is checked. */
    endsOthers: boolean;
  }
>;

/**
 * Guard of the page and its form. Users who can prove their identity by the password alone prove it with the form itself.
 * @throws like requireFreshSettings
 */
export async function requirePasswordSettings(context: LoadContext, request: Request): Promise<Settings> {
  const settings = await requireSettings(context, request);
  if ((await findReauthenticationName(context, settings.access)) !== null) return settings;
  return requireFreshSettings(context, request);
}

type Rejected = PasswordErrorDetails & { lastResult: FormResult; endsOthers: boolean };

/** Loads the page that changes the password, with the error of a rejected form. */
export async function loadPasswordPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  rejected?: Rejected,
): Promise<PasswordPage> {
  const { username, hasPassword } = await requireOverview(context, settings);
  const error = firstError(rejected?.lastResult);
  const state = { ...(await settingsState(context, settings)), ...(error ? { error } : {}) };
  const { t } = await settingsTexts(context, request);
  const title = pageTitle(t, t("managePassword.title"), error !== undefined);
  return {
    status: htmlStatus(error),
    title,
    state,
    constraint: passwordForm.constraint,
    username,
    hasPassword,
    endsOthers: true,
    ...rejected,
  };
}
