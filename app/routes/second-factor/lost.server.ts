import type { TFunction } from "i18next";
import { findRequestedWindow, lostLinkEnd } from "#app/domain/factor-reset/link.server.ts";
import { findLostRefusal } from "#app/domain/factor-reset/lost.server.ts";
import { HOUR_MS } from "#app/durations.ts";
import { windowTexts } from "#app/http/link-window.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { exactTimesOf, type PageView, readStatus, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { openChallenge } from "#app/oidc/seal.server.ts";
import type { ClientLabel } from "#app/ui/page.tsx";
import type { SecondFactorState, StatusState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";
import { redirectToProof, requireStep, stepUrl } from "./second-factor.server.ts";
import { type PostedStep, unavailableState } from "./unavailable-step.server.ts";

export type LostPageProps = {
  state: SecondFactorState;
  client: ClientLabel | null;
  /** Display name of the user who signs in; "" if it is unknown. */
  name: string;
  /** Delay before a link works, in hours. */
  delayHours: number;
  /** The period in which a link works that is requested now. */
  window: { from: string; until: string };
  recoveryCodesLeft: number;
  /** The office can give six words (ADMIN_PAGES). */
  offersHelp: boolean;
};

/**
 * Loads the page that offers a factor reset link by mail.
 * @throws a redirect to the page that shows the reason if no link can be requested, and to the sign-in form if the
 * second step began without the password, in a live session
 */
export async function loadLostPage(
  context: LoadContext,
  request: Request,
  { challenge, error }: { challenge: string; error?: "xsrf" },
): Promise<PageView<SecondFactorState, LostPageProps>> {
  const step = await requireStep(context, challenge, error && { error });
  const refusal = await findLostRefusal(context, step.pending);
  if (refusal === "no factor") throw redirect303(stepUrl("/mfa/verify", challenge));
  // The password was given earlier, in the live session.
  if (refusal === "no password given" && step.pending.amr.includes("pwd")) {
    throw await redirectToProof(context, challenge, step.description.username);
  }
  if (refusal !== null) throw redirect303(lostStatusUrl("refused", challenge));
  const { state, client, description } = step;
  const { displayName: name, factors } = description;
  return lostPage(context, request, { state, client, name, recoveryCodesLeft: factors.recoveryCodesLeft });
}

/** Loads the same page while the database is unavailable, from the posted fields alone. */
export function loadUnavailableLostPage(context: LoadContext, request: Request, posted: PostedStep) {
  const state = unavailableState(context, posted);
  return lostPage(context, request, { state, client: null, name: "", recoveryCodesLeft: 0 });
}

async function lostPage(
  context: LoadContext,
  request: Request,
  { state, ...page }: Omit<LostPageProps, "delayHours" | "window" | "offersHelp">,
): Promise<PageView<SecondFactorState, LostPageProps>> {
  const { factorResetDelayHours: delayHours, adminPages: offersHelp } = context.config;
  const time = await exactTimesOf(context, request);
  const from = new Date(context.clock.now().getTime() + delayHours * HOUR_MS);
  return {
    status: htmlStatus(state.error),
    title: lostTitle(await textsOf(context, request), state),
    state,
    ...page,
    delayHours,
    offersHelp,
    window: { from: time(from), until: time(lostLinkEnd(from)) },
  };
}

export function lostTitle(t: TFunction, { error }: SecondFactorState): string {
  return pageTitle(t, t("mfaReset.lost.title"), error !== undefined);
}

/** Returns the URL of the page that shows the result of a request; `challenge`: the sign-in to return to. */
export function lostStatusUrl(status: "success" | "refused" | "too-many", challenge: string): string {
  return `/mfa/lost?${new URLSearchParams({ status, login_challenge: challenge })}`;
}

export type LostStatusPageProps = {
  /** `success`, `refused` or `too-many`; any other status is a technical error. */
  state: StatusState;
  /** The sign-in that the user came from; "" if it is unknown. */
  loginChallenge: string;
  appUrl: string;
  /** The period in which the link works; null if the sign-in that requested it has ended. */
  window: { from: string | null; until: string } | null;
};

/** Loads the page that shows the result. It shows nothing else of the sign-in, which may have ended. */
export async function loadLostStatusPage(
  context: LoadContext,
  request: Request,
): Promise<PageView<StatusState, LostStatusPageProps>> {
  const { state, status } = readStatus(request);
  const { appUrl } = context.config;
  const loginChallenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  const title = lostStatusTitle(await textsOf(context, request), state);
  const window = state.status === "success" ? await requestedWindow(context, request, loginChallenge) : null;
  return { status, title, state, window, loginChallenge, appUrl };
}

async function requestedWindow(context: LoadContext, request: Request, challenge: string) {
  const { browser } = context;
  const opened = openChallenge(context.secrets, { kind: "login", challenge, browser });
  if (opened?.sealedFor !== "own") return null;
  const window = await findRequestedWindow(context, { uid: opened.uid, browser });
  return window && windowTexts(window, await exactTimesOf(context, request));
}

export function lostStatusTitle(t: TFunction, { status }: StatusState): string {
  switch (status) {
    case "success":
      return pageTitle(t, t("mfaReset.lost.success.title"));
    case "refused":
      return pageTitle(t, t("mfaReset.lost.refused.title"), true);
    case "too-many":
      return pageTitle(t, t("mfaReset.lost.tooMany.title"), true);
    default:
      return pageTitle(t, t("mfaReset.status.technical.title"), true);
  }
}
