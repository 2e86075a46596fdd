import { FACTOR_RESET_MINUTES } from "#app/domain/mfa-reset/link.server.ts";
import { findLostRefusal } from "#app/domain/mfa-reset/lost.server.ts";
import type { LoadContext } from "#app/edge/load-context.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { type FactorLostScreenProps, factorLostTitle } from "#app/screens/mfa-lost.tsx";
import { factorLostStatusTitle } from "#app/screens/mfa-lost-status.tsx";
import type { SecondFactorState } from "#app/screens/page-state.ts";
import { type PageView, textsOf } from "./page-view.server.ts";
import { requireStep, stepUrl } from "./second-factor.server.ts";

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
  return {
    status: htmlStatus(error),
    title: factorLostTitle(await textsOf(context, request), state),
    state,
    client,
    name: description.displayName,
    delayHours: context.config.factorResetDelayHours,
    recoveryCodesLeft: description.factors.recoveryCodesLeft,
  };
}

/** The page that says whether a link is on its way. It shows nothing of the sign-in, which may be over by then. */
export async function lostStatusView(context: LoadContext, request: Request) {
  const query = new URL(request.url).searchParams;
  const state = { status: query.get("status") ?? "" };
  const { appUrl, supportContact, factorResetDelayHours: delayHours } = context.config;
  return {
    status: state.status === "success" ? 200 : 400,
    title: factorLostStatusTitle(await textsOf(context, request), state),
    state,
    loginChallenge: query.get("login_challenge") ?? "",
    minutes: FACTOR_RESET_MINUTES,
    ...{ appUrl, supportContact, delayHours },
  };
}
