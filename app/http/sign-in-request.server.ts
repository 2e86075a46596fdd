import { findChallenge, type OpenInteraction } from "#app/oidc/challenges.server.ts";
import { CHALLENGE_PARAM } from "#app/ui/sign-in-request.ts";
import type { LoadContext } from "./load-context.server.ts";

/** The sign-in request that a page was opened from. `interaction`: null if it is not open. */
type SignInRequest = { challenge: string; uid: string; interaction: OpenInteraction | null };

/**
 * Finds the sign-in request in the query. Returns null for a missing, unknown or foreign challenge, which is not shown
 * on a page.
 */
export async function findSignInRequest(context: LoadContext, request: Request): Promise<SignInRequest | null> {
  const challenge = challengeParameter(request);
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind === "open") return { challenge, uid: found.request.uid, interaction: found.request.interaction };
  if (found.kind === "missing" || found.reason === "foreign") return null;
  return { challenge, uid: found.uid, interaction: null };
}

/** Returns the challenge of the sign-in request in the query; "" if there is none for this browser. */
export async function challengeOf(context: LoadContext, request: Request): Promise<string> {
  return (await findSignInRequest(context, request))?.challenge ?? "";
}

/** Returns the challenge in the query, unchecked; "" without one. */
export function challengeParameter(request: Request): string {
  return new URL(request.url).searchParams.get(CHALLENGE_PARAM) ?? "";
}
