import { findPasswordReset, type PasswordReset, RESET_LINK_MINUTES } from "#app/domain/password-reset/link.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { challengeOf } from "#app/http/sign-in-request.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import { sealChallenge } from "#app/oidc/seal.server.ts";
import type {
  PasswordResetRequestError,
  PasswordResetRequestState,
  PasswordResetState,
  StatusState,
} from "#app/ui/page-state.ts";
import { withChallenge } from "#app/ui/sign-in-request.ts";
import { type PasswordResetRequestScreenProps, passwordResetRequestTitle } from "./request-form-page.tsx";
import { passwordResetRequestStatusTitle } from "./request-status-page.tsx";
import { type PasswordResetFormScreenProps, passwordResetFormTitle } from "./reset-form-page.tsx";
import { passwordResetStatusTitle } from "./reset-status-page.tsx";

/** Where a link leads that is not good (any more). */
export const ERROR_TOKEN_URL = "/password-reset/reset-status?status=error-token";

/**
 * The challenge of the sign-in in which a mailed link was asked for. Returns "" when there was none, and in any other
 * browser: the person of the link must never go on with a sign-in that somebody else began.
 */
export function challengeOfReset({ secrets, browser }: LoadContext, { signIn }: PasswordReset): string {
  if (signIn === null || signIn.browserHash !== hashToken(browser)) return "";
  return sealChallenge(secrets, { kind: "login", uid: signIn.uid, browser });
}

type RequestProblem = { error?: PasswordResetRequestError; username?: string };

/** The page that asks for a link. */
export async function resetRequestView(
  context: LoadContext,
  request: Request,
  { error, username = "" }: RequestProblem,
): Promise<PageView<PasswordResetRequestState, PasswordResetRequestScreenProps>> {
  const xsrf_token = issueXsrf(context, bindingOf(context, await context.session()));
  const state = { ...(error ? { error } : {}), xsrf_token };
  const title = passwordResetRequestTitle(await textsOf(context, request), state);
  const challenge = await challengeOf(context, request);
  return { status: htmlStatus(error), title, state, username, challenge, appUrl: context.config.appUrl };
}

/** The page that says that a mail may be on its way. */
export async function resetRequestStatusView(context: LoadContext, request: Request) {
  const state = statusState(request);
  const title = passwordResetRequestStatusTitle(await textsOf(context, request), state);
  const challenge = await challengeOf(context, request);
  const { appUrl } = context.config;
  return { status: httpStatus(state), title, state, minutes: RESET_LINK_MINUTES, challenge, appUrl };
}

type FormProblem = { error: NonNullable<PasswordResetState["error"]> } & Pick<
  PasswordResetFormScreenProps,
  "rules" | "containsName"
>;

/**
 * The page for a new password.
 * @throws a redirect to the page that says so, where the link is not good (any more)
 */
export async function resetFormView(
  context: LoadContext,
  request: Request,
  { resetToken, problem }: { resetToken: string; problem?: FormProblem },
): Promise<PageView<PasswordResetState, PasswordResetFormScreenProps>> {
  const reset = await findPasswordReset(context, resetToken);
  const challenge = await challengeOf(context, request);
  if (!reset) throw redirect303(withChallenge(ERROR_TOKEN_URL, challenge));
  const xsrf_token = issueXsrf(context, bindingOf(context, await context.session()));
  const { error, ...told } = problem ?? { error: undefined };
  const state = { ...(error ? { error } : {}), xsrf_token, reset_token: resetToken };
  const isFirst = reset.user.passwordHash === null;
  const title = passwordResetFormTitle(await textsOf(context, request), state, isFirst);
  return { status: htmlStatus(error), title, state, username: reset.user.username, isFirst, challenge, ...told };
}

/** The page that says how the change of the password went. */
export async function resetStatusView(context: LoadContext, request: Request) {
  const state = statusState(request);
  const title = passwordResetStatusTitle(await textsOf(context, request), state);
  const challenge = await challengeOf(context, request);
  return { status: httpStatus(state), title, state, challenge, appUrl: context.config.appUrl };
}

function statusState(request: Request): StatusState {
  return { status: new URL(request.url).searchParams.get("status") ?? "" };
}

function httpStatus({ status }: StatusState): number {
  return status === "success" ? 200 : 400;
}
