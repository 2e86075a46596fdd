import type { TFunction } from "i18next";
import { type FoundReset, findFactorReset } from "#app/domain/factor-reset/link.server.ts";
import { findWaitingReset } from "#app/domain/factor-reset/stop.server.ts";
import { isSecondFactorRequired } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { windowTexts } from "#app/http/link-window.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { issueFormToken } from "#app/http/own-form.server.ts";
import { exactTimesOf, type PageView, readStatus, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import type { FactorResetState, FactorResetStopState, StatusState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/** Returns the URL of the page for a link that does not work. */
export function resetStatusUrl(status: Exclude<FoundReset["kind"], "found"> | "no-link"): string {
  return `/mfa-reset/reset-status?status=${status}`;
}

/** Returns the URL of the page after a reset. `needsSetUp`: the next sign-in requires a new second factor. */
export function resetDoneUrl({ needsSetUp }: { needsSetUp: boolean }): string {
  return `/mfa-reset/reset-status?status=success${needsSetUp ? "&next=set-up" : ""}`;
}

/** Returns the URL of the page that shows whether the reset was stopped. */
export function stopStatusUrl(status: "success" | "error-token" | "no-link"): string {
  return `/mfa-reset/stop?status=${status}`;
}

export type ResetFormProps = {
  state: FactorResetState;
  /** The user whose factors are removed. */
  username: string;
  /** The next sign-in requires a second factor, and therefore the set-up of a new one. */
  needsSetUp: boolean;
  /** The period in which the link works; `from` is null for a link without a delay. */
  window: { from: string | null; until: string };
  appUrl: string;
};

type FormError = { error?: "xsrf" | undefined };

/**
 * Loads the form that removes all factors, at /mfa-reset/reset-form and after a refused form.
 * @throws a redirect to the status page if the link is invalid, expired, not opened in this browser or does not work yet
 */
export async function loadResetForm(
  context: LoadContext,
  request: Request,
  { resetToken, error }: FormError & { resetToken: string },
): Promise<PageView<FactorResetState, ResetFormProps>> {
  if (resetToken === "") throw redirect303(resetStatusUrl("no-link"));
  const found = await findFactorReset(context, resetToken);
  if (found.kind !== "found") throw redirect303(resetStatusUrl(found.kind));
  const { user, window } = found.reset;
  const state = { ...(await formState(context, error)), reset_token: resetToken };
  return {
    status: htmlStatus(error),
    title: resetFormTitle(await textsOf(context, request), state),
    state,
    username: user.username,
    needsSetUp: await isSecondFactorRequired(context, user),
    window: windowTexts(window, await exactTimesOf(context, request)),
    appUrl: context.config.appUrl,
  };
}

export function resetFormTitle(t: TFunction, { error }: FactorResetState): string {
  return pageTitle(t, t("mfaReset.form.title"), error !== undefined);
}

export type StopFormProps = {
  state: FactorResetStopState;
  /** The user whose reset is stopped. */
  username: string;
  /** The period in which the reset link works. */
  window: { from: string | null; until: string };
  appUrl: string;
};

/**
 * Loads the form that stops a pending reset.
 * @throws a redirect to the status page if no reset is pending, or the link was not opened in this browser
 */
export async function loadStopForm(
  context: LoadContext,
  request: Request,
  { stopToken, error }: FormError & { stopToken: string },
): Promise<PageView<FactorResetStopState, StopFormProps>> {
  if (stopToken === "") throw redirect303(stopStatusUrl("no-link"));
  const waiting = await findWaitingReset(context, stopToken);
  if (!waiting) throw redirect303(stopStatusUrl("error-token"));
  const state = { ...(await formState(context, error)), stop_token: stopToken };
  return {
    status: htmlStatus(error),
    title: stopFormTitle(await textsOf(context, request), state),
    state,
    username: waiting.user.username,
    window: windowTexts(waiting.window, await exactTimesOf(context, request)),
    appUrl: context.config.appUrl,
  };
}

export function stopFormTitle(t: TFunction, { error }: FactorResetStopState): string {
  return pageTitle(t, t("mfaReset.stop.title"), error !== undefined);
}

async function formState(context: LoadContext, error: FormError["error"]) {
  const xsrf_token = await issueFormToken(context);
  return { ...(error ? { error } : {}), xsrf_token };
}

export type StopStatusProps = {
  /** `success`, `error-token` or `no-link`; any other status is a technical error. */
  state: StatusState;
  appUrl: string;
};

/** Loads the page that shows whether the reset was stopped. */
export async function loadStopStatus(
  context: LoadContext,
  request: Request,
): Promise<PageView<StatusState, StopStatusProps>> {
  const { state, status } = readStatus(request);
  const title = stopStatusTitle(await textsOf(context, request), state);
  return { status, title, state, appUrl: context.config.appUrl };
}

export function stopStatusTitle(t: TFunction, { status }: StatusState): string {
  switch (status) {
    case "success":
      return pageTitle(t, t("mfaReset.stop.success.heading"));
    case "error-token":
      return pageTitle(t, t("mfaReset.stop.errorToken.title"), true);
    case "no-link":
      return pageTitle(t, t("passwordReset.status.noLink.title"), true);
    default:
      return pageTitle(t, t("mfaReset.status.technical.title"), true);
  }
}
