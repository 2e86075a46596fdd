import { type FoundReset, findFactorReset } from "#app/domain/factor-reset/link.server.ts";
import { findWaitingReset } from "#app/domain/factor-reset/stop.server.ts";
import { isSecondFactorRequired } from "#app/domain/sign-in/policy.server.ts";
import { factorResetCookie } from "#app/http/link-cookie.server.ts";
import { windowTexts } from "#app/http/link-window.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { exactTimesOf, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import type { FactorResetState, FactorResetStopState, StatusState } from "#app/ui/page-state.ts";
import { type FactorResetFormScreenProps, factorResetFormTitle } from "./reset-form-page.tsx";
import { factorResetStatusTitle } from "./reset-status-page.tsx";
import { type FactorResetStopScreenProps, factorResetStopTitle } from "./stop-page.tsx";
import { factorResetStopStatusTitle } from "./stop-status-page.tsx";

/** The page that says how it went. */
export function resetStatusUrl(status: Exclude<FoundReset["kind"], "found">): string {
  return `/mfa-reset/reset-status?status=${status}`;
}

/** The page after a reset. `needsSetUp`: the next sign-in demands a new second factor. */
export function resetDoneUrl({ needsSetUp }: { needsSetUp: boolean }): string {
  return `/mfa-reset/reset-status?status=success${needsSetUp ? "&next=set-up" : ""}`;
}

/** The page that says whether the reset was stopped. */
export function stopStatusUrl(status: "success" | "error-token"): string {
  return `/mfa-reset/stop?status=${status}`;
}

type Problem = { error?: "xsrf" | undefined };

/**
 * The page that asks whether all factors shall go.
 * @throws a redirect to the page that says so, where the link is not good (yet, any more)
 */
export async function factorResetView(
  context: LoadContext,
  request: Request,
  { resetToken, error }: Problem & { resetToken: string },
): Promise<PageView<FactorResetState, FactorResetFormScreenProps>> {
  const found = await findFactorReset(context, resetToken);
  if (found.kind !== "found") throw redirect303(resetStatusUrl(found.kind));
  const { user, window } = found.reset;
  const needsSetUp = await isSecondFactorRequired(context, user);
  const facts = {
    username: user.username,
    needsSetUp,
    window: windowTexts(window, await exactTimesOf(context, request)),
  };
  const state = { ...(await formState(context, error)), reset_token: resetToken };
  const title = factorResetFormTitle(await textsOf(context, request), state);
  return { status: htmlStatus(error), title, state, ...facts, appUrl: context.config.appUrl };
}

/** The page that says how the removal of the factors went. */
export async function factorResetStatusView(context: LoadContext, request: Request) {
  const state = statusState(request);
  const title = factorResetStatusTitle(await textsOf(context, request), state);
  const { appUrl, mfaPolicy } = context.config;
  // The parameter chooses between two texts of ours, and shows nothing that it carries.
  const needsSetUp = mfaPolicy === "required" || new URL(request.url).searchParams.get("next") === "set-up";
  const window = state.status === "too-early" ? await waitingWindow(context, request) : null;
  return { status: httpStatus(state), title, state, needsSetUp, window, appUrl };
}

/** When the link of this browser's cookie works; null without a link that waits. */
async function waitingWindow(context: LoadContext, request: Request) {
  const found = await findFactorReset(context, factorResetCookie.read(context.config, request));
  return found.kind === "too-early" ? windowTexts(found.window, await exactTimesOf(context, request)) : null;
}

/**
 * The page that asks whether the reset shall be stopped.
 * @throws a redirect to the page that says so, where there is nothing to stop
 */
export async function stopView(
  context: LoadContext,
  request: Request,
  { stopToken, error }: Problem & { stopToken: string },
): Promise<PageView<FactorResetStopState, FactorResetStopScreenProps>> {
  const waiting = await findWaitingReset(context, stopToken);
  if (!waiting) throw redirect303(stopStatusUrl("error-token"));
  const { username } = waiting.user;
  const window = windowTexts(waiting.window, await exactTimesOf(context, request));
  const state = { ...(await formState(context, error)), stop_token: stopToken };
  const title = factorResetStopTitle(await textsOf(context, request), state);
  return { status: htmlStatus(error), title, state, username, window, appUrl: context.config.appUrl };
}

/** The page that says whether the reset was stopped. */
export async function stopStatusView(context: LoadContext, request: Request) {
  const state = statusState(request);
  const title = factorResetStopStatusTitle(await textsOf(context, request), state);
  const { appUrl, supportContact } = context.config;
  return { status: httpStatus(state), title, state, appUrl, supportContact };
}

async function formState(context: LoadContext, error: Problem["error"]) {
  const xsrf_token = issueXsrf(context, bindingOf(context, await context.session()));
  return { ...(error ? { error } : {}), xsrf_token };
}

function statusState(request: Request): StatusState {
  return { status: new URL(request.url).searchParams.get("status") ?? "" };
}

function httpStatus({ status }: StatusState): number {
  return status === "success" ? 200 : 400;
}
