import type { TFunction } from "i18next";
import type { ErrorCode } from "#app/domain/errors.ts";
import type { RuleResult } from "#app/domain/password/rules.ts";
import { findPasswordReset, type PasswordReset } from "#app/domain/password-reset/link.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { challengeOf } from "#app/http/sign-in-request.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import { sealChallenge } from "#app/oidc/seal.server.ts";
import type { PasswordResetRequestState, PasswordResetState, StatusState } from "#app/ui/page-state.ts";
import { withChallenge } from "#app/ui/sign-in-request.ts";
import { pageTitle } from "#app/ui/title.ts";

/** The page for a link that is invalid, used or expired. */
export const ERROR_TOKEN_URL = "/password-reset/reset-status?status=error-token";

/**
 * Returns the challenge of the sign-in in which a mailed link was requested. Returns "" if there was none, and in any
 * other browser: the user of the link must not continue a sign-in that another user started.
 */
export function challengeOfReset({ secrets, browser }: LoadContext, { signIn }: PasswordReset): string {
  if (signIn === null || signIn.browserHash !== hashToken(browser)) return "";
  return sealChallenge(secrets, { kind: "login", uid: signIn.uid, browser });
}

export type RequestFormProps = {
  state: PasswordResetRequestState;
  /** The user name that was entered before, here or in the sign-in form; else "". */
  username: string;
  /** The challenge of the sign-in that the user came from; "" when no sign-in is known. */
  challenge: string;
  appUrl: string;
  /** With the error `throttled`: the waiting time in minutes, rounded up. */
  waitMinutes?: number | undefined;
};

/** Loads the page that asks for the user name, at /password-reset/request-form and after a refused request. */
export async function loadRequestForm(
  context: LoadContext,
  request: Request,
  { error, username = "" }: { error?: ErrorCode | undefined; username?: string },
): Promise<PageView<PasswordResetRequestState, RequestFormProps>> {
  const xsrf_token = issueXsrf(context, bindingOf(context, await context.session()));
  const state = { ...(error ? { error } : {}), xsrf_token };
  const title = requestFormTitle(await textsOf(context, request), state);
  const challenge = await challengeOf(context, request);
  return { status: htmlStatus(error), title, state, username, challenge, appUrl: context.config.appUrl };
}

export function requestFormTitle(t: TFunction, { error }: PasswordResetRequestState): string {
  return pageTitle(t, t("passwordReset.request.title"), error !== undefined);
}

export type ResetFormProps = {
  state: PasswordResetState;
  /** The user whose password is set. */
  username: string;
  /** True if the user has no password yet, as after an invitation. */
  isFirst?: boolean | undefined;
  /** The challenge of the sign-in that the user came from; "" when no sign-in is known. */
  challenge: string;
  /** With a refused password: the result of each password rule. */
  rules?: readonly RuleResult[] | undefined;
  /** With `password-common`: true if the password contains a name of the user, false if it is a common password. */
  containsName?: boolean | undefined;
};

/** The error of a refused password, with its details. */
export type ResetFormProblem = { error: ErrorCode | undefined } & Pick<ResetFormProps, "rules" | "containsName">;

/**
 * Loads the form for a new password, at /password-reset/reset-form and after a refused password.
 * @throws a redirect to the page that reports it if the link is invalid, used or expired
 */
export async function loadResetForm(
  context: LoadContext,
  request: Request,
  { resetToken, problem }: { resetToken: string; problem?: ResetFormProblem },
): Promise<PageView<PasswordResetState, ResetFormProps>> {
  const reset = await findPasswordReset(context, resetToken);
  const challenge = await challengeOf(context, request);
  if (!reset) throw redirect303(withChallenge(ERROR_TOKEN_URL, challenge));
  const xsrf_token = issueXsrf(context, bindingOf(context, await context.session()));
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

/** Reads the `status` parameter of a status page, and returns it with the HTTP status of the page. */
export function readStatus(request: Request): { state: StatusState; status: number } {
  const status = new URL(request.url).searchParams.get("status") ?? "";
  return { state: { status }, status: status === "success" ? 200 : 400 };
}
