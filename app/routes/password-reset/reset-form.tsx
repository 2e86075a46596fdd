import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { settingsPath } from "#app/domain/access/settings-path.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { checkRules, isRepeated, type RuleResult } from "#app/domain/password/rules.ts";
import { findPasswordReset, type PasswordReset } from "#app/domain/password-reset/link.server.ts";
import { resetPassword } from "#app/domain/password-reset/reset.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { passwordResetCookie } from "#app/http/cookies.server.ts";
import { defineForm, firstError, required, text, withRules } from "#app/http/define-form.server.ts";
import { readSubmission, requireFormUrl } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { readMailedToken } from "#app/http/mailed-link.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { isOwnLoginForm, issueFormToken } from "#app/http/own-form.server.ts";
import { type PageView, textsOf } from "#app/http/page-data.server.ts";
import { actionHeaders, clearSiteData, htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { challengeOf } from "#app/http/sign-in-request.server.ts";
import { keepTypedUsername } from "#app/http/typed-username.server.ts";
import { sealChallenge } from "#app/oidc/seal.server.ts";
import { proveIdentityUrl } from "#app/oidc/settings-client.server.ts";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { KeepNameForm } from "#app/ui/keep-name-button.tsx";
import { refusalTexts } from "#app/ui/new-password-errors.ts";
import { NEW_PASSWORD_FIELD, NewPasswordFields, REPEAT_FIELD } from "#app/ui/new-password-fields.tsx";
import { NewPasswordForm } from "#app/ui/new-password-form.tsx";
import { Page } from "#app/ui/page.tsx";
import type { PasswordResetState } from "#app/ui/page-state.ts";
import { SavePassword } from "#app/ui/save-password.tsx";
import { withChallenge } from "#app/ui/sign-in-request.ts";
import { TipsCard } from "#app/ui/tips-card.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

const FORM_URL = "/password-reset/reset-form";
const ACTION = "/password-reset/reset";
/** The page for a link that is invalid, used or expired. */
const ERROR_TOKEN_URL = "/password-reset/reset-status?status=error-token";
/** The page for the address of the form, opened in a browser that has not opened the link. */
const NO_LINK_URL = "/password-reset/reset-status?status=no-link";
const SUCCESS_URL = "/password-reset/reset-status?status=success";
const FIRST_SUCCESS_URL = `${SUCCESS_URL}&first=yes`;

const resetForm = withRules(
  defineForm({
    reset_token: text(),
    password: required("empty-password"),
    password_repeat: required("empty-password-repeat"),
  }),
  (schema) =>
    schema.refine(({ password, password_repeat }) => isRepeated(password, password_repeat), {
      path: ["password_repeat"],
      error: "passwords-not-equal",
    }),
);

/**
 * Shows the form of a mailed link. Redirects a GET of ACTION, as after a reload of a refused form or a change of the
 * language.
 */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { pathname, search } = new URL(request.url);
  if (pathname === ACTION) return redirect303(`${FORM_URL}${search}`);
  const resetToken = await readMailedToken(context, request, {
    parameter: "reset_token",
    cookie: passwordResetCookie,
    async urlOf(token) {
      const reset = await findPasswordReset(context, token);
      return reset && withChallenge(FORM_URL, challengeOfReset(context, reset));
    },
    invalidUrl: ERROR_TOKEN_URL,
  });
  return respondWith(loadResetForm(context, request, { resetToken }));
}

/**
 * Returns the challenge of the sign-in in which a mailed link was requested. Returns "" if there was none, and in any
 * other browser: the user of the link must not continue a sign-in that another user started.
 */
function challengeOfReset({ secrets, browser }: LoadContext, { signIn }: PasswordReset): string {
  if (signIn === null || signIn.browserHash !== hashToken(browser)) return "";
  return sealChallenge(secrets, { kind: "login", uid: signIn.uid, browser });
}

/** Changes the password of the user of a link. The user is not signed in. */
export async function action({ context, request }: ActionFunctionArgs) {
  requireFormUrl(request, ACTION);
  const { submission, posted } = await readSubmission(request, resetForm);
  const resetToken = posted("reset_token");
  const showAgain = (problem: ResetFormProblem, headers: Record<string, string> = {}) =>
    respondWith(loadResetForm(context, request, { resetToken, problem }), headers);

  if (!(await isOwnLoginForm(context, posted("_xsrf")))) return showAgain({ error: "xsrf" });
  if (submission.status !== "success") {
    return showAgain({
      error: firstError(submission),
      rules: checkRules(posted("password"), posted("password_repeat")),
    });
  }
  const { password, password_repeat: repeat } = submission.value;
  const { address, userAgent, requestId } = context;
  const input = { resetToken, password, repeat, address, userAgent, requestId };
  const outcome = await orOverloaded(() => resetPassword(context, input));
  switch (outcome.kind) {
    case "overloaded":
      return showAgain({ error: "overloaded" }, OVERLOAD_HEADERS);
    case "error-token":
      return redirect303(withChallenge(ERROR_TOKEN_URL, await challengeOf(context, request)));
    case "refused":
      return showAgain({ error: outcome.code, rules: outcome.rules, containsName: outcome.containsName });
    default: {
      const challenge = await challengeOf(context, request);
      return redirect303(urlAfter(context, outcome, challenge), [
        ["Set-Cookie", passwordResetCookie.clear(context.config)],
        ...(await keepTypedUsername(context, { username: outcome.username, challenge })),
        ...Object.entries(clearSiteData),
      ]);
    }
  }
}

export const headers = actionHeaders;

/** Returns the page that follows the new password: the sign-in to the settings, or the report of the success. */
function urlAfter(
  { config }: LoadContext,
  { username, isFirst, opensSettings }: { username: string; isFirst: boolean; opensSettings: boolean },
  challenge: string,
): string {
  if (opensSettings) return proveIdentityUrl(config, { to: settingsPath(null), username });
  return withChallenge(isFirst ? FIRST_SUCCESS_URL : SUCCESS_URL, challenge);
}

/** The error of a refused password, with its details. */
type ResetFormProblem = { error: ErrorCode | undefined } & Pick<ResetFormProps, "rules" | "containsName">;

/**
 * Loads the form for a new password.
 * @throws a redirect to the page that reports it if the link is invalid, used, expired, or not opened in this browser
 */
async function loadResetForm(
  context: LoadContext,
  request: Request,
  { resetToken, problem }: { resetToken: string; problem?: ResetFormProblem },
): Promise<PageView<PasswordResetState, ResetFormProps>> {
  const challenge = await challengeOf(context, request);
  if (resetToken === "") throw redirect303(withChallenge(NO_LINK_URL, challenge));
  const reset = await findPasswordReset(context, resetToken);
  if (!reset) throw redirect303(withChallenge(ERROR_TOKEN_URL, challenge));
  const xsrf_token = await issueFormToken(context);
  const { error, ...details } = problem ?? { error: undefined };
  const state = { ...(error ? { error } : {}), xsrf_token, reset_token: resetToken };
  const isFirst = reset.user.passwordHash === null;
  const title = resetFormTitle(await textsOf(context, request), state, isFirst);
  return { status: htmlStatus(error), title, state, username: reset.user.username, isFirst, challenge, ...details };
}

export function resetFormTitle(t: TFunction, { error }: PasswordResetState, isFirst = false): string {
  const title = isFirst ? t("passwordReset.first.title") : t("passwordReset.form.title");
  return pageTitle(t, title, error !== undefined);
}

export default function PasswordResetPage() {
  return <ResetForm {...usePage<typeof loader, typeof action>()} />;
}

export type ResetFormProps = {
  state: PasswordResetState;
  /** The user whose password is set. */
  username: string;
  /** True if the user has no password yet, as after an invitation. */
  isFirst?: boolean | undefined;
  /** The challenge of the sign-in that the user came from; "" when no sign-in is known. */
  challenge: string;
  /** The result of each password rule for a refused password. */
  rules?: readonly RuleResult[] | undefined;
  /** With `password-common`: true if the password contains a name of the user, false if it is a common password. */
  containsName?: boolean | undefined;
};

/** The form in which the user of a link sets a new password. */
export function ResetForm({
  state,
  username,
  isFirst = false,
  challenge,
  rules = [],
  containsName = false,
}: ResetFormProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  const refusal = error ? refusalTexts(t, error, containsName) : null;
  const errorAt = (field: string) => (refusal?.problem.field === field ? refusal.problem.text : undefined);
  return (
    <Page
      title={isFirst ? t("passwordReset.first.heading") : t("passwordReset.form.heading")}
      lead={<Emphasis text={t("passwordReset.form.forAccount", { username })} part={username} />}
      before={
        error && refusal ? <ErrorSummary code={error} quote={refusal.quote} problems={[refusal.problem]} /> : null
      }
      tone={error ? "error" : "normal"}
      wide
    >
      <NewPasswordForm action={withChallenge(ACTION, challenge)} username={username}>
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="reset_token" value={state.reset_token} />
        <NewPasswordFields
          names={{ password: "password", repeat: "password_repeat" }}
          errors={{ password: errorAt(NEW_PASSWORD_FIELD), repeat: errorAt(REPEAT_FIELD) }}
          rules={rules}
        />
        <SavePassword>{isFirst ? t("passwordReset.first.submit") : t("passwordReset.form.submit")}</SavePassword>
      </NewPasswordForm>
      {challenge ? (
        <KeepNameForm to="sign-in" challenge={challenge} username={username} xsrf={state.xsrf_token}>
          {t("passwordReset.request.back")}
        </KeepNameForm>
      ) : null}
      <TipsCard />
    </Page>
  );
}
