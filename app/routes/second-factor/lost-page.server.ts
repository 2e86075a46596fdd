import { findRequestedWindow, lostLinkEnd } from "#app/domain/factor-reset/link.server.ts";
import { findLostRefusal } from "#app/domain/factor-reset/lost.server.ts";
import { windowTexts } from "#app/http/link-window.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { exactTimesOf, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { openChallenge } from "#app/oidc/seal.server.ts";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { type FactorLostScreenProps, factorLostTitle } from "./lost-page.tsx";
import { factorLostStatusTitle } from "./lost-status-page.tsx";
import { requireStep, stepUrl } from "./verify-page.server.ts";

const HOUR_MS = 60 * 60 * 1000;

/** The page that says whether a link is on its way; `challenge`: the sign-in to go back to. */
export function lostStatusUrl(status: "success" | "refused" | "too-many", challenge: string): string {
  return `/mfa/lost?${new URLSearchParams({ status, login_challenge: challenge })}`;
}

/**
 * The page that offers a link by mail.
 * @throws a redirect to the page that says why there is none
 */
export async function lostView(
  context: LoadContext,
  request: Request,
  { challenge, error }: { challenge: string; error?: "xsrf" },
): Promise<PageView<SecondFactorState, FactorLostScreenProps>> {
  const step = await requireStep(context, challenge, error && { error });
  const refusal = await findLostRefusal(context, step.pending);
  if (refusal === "no factor") throw redirect303(stepUrl("/mfa/verify", challenge));
  if (refusal !== null) throw redirect303(lostStatusUrl("refused", challenge));
  const { state, client, description } = step;
  const { factorResetDelayHours: delayHours } = context.config;
  const time = await exactTimesOf(context, request);
  const from = new Date(context.clock.now().getTime() + delayHours * HOUR_MS);
  return {
    status: htmlStatus(error),
    title: factorLostTitle(await textsOf(context, request), state),
    state,
    client,
    name: description.displayName,
    delayHours,
    window: { from: time(from), until: time(lostLinkEnd(from)) },
    recoveryCodesLeft: description.factors.recoveryCodesLeft,
  };
}

/**
 * The page that says whether a link is on its way, and when it works. It shows nothing else of the sign-in, which may be
 * over by then.
 */
export async function lostStatusView(context: LoadContext, request: Request) {
  const query = new URL(request.url).searchParams;
  const state = { status: query.get("status") ?? "" };
  const { appUrl, supportContact } = context.config;
  const loginChallenge = query.get("login_challenge") ?? "";
  return {
    status: state.status === "success" ? 200 : 400,
    title: factorLostStatusTitle(await textsOf(context, request), state),
    state,
    window: state.status === "success" ? await requestedWindow(context, request, loginChallenge) : null,
    ...{ loginChallenge, appUrl, supportContact },
  };
}

async function requestedWindow(context: LoadContext, request: Request, challenge: string) {
  const { browser } = context;
  const opened = openChallenge(context.secrets, { kind: "login", challenge, browser });
  if (opened?.sealedFor !== "own") return null;
  const window = await findRequestedWindow(context, { uid: opened.uid, browser });
  return window && windowTexts(window, await exactTimesOf(context, request));
}
