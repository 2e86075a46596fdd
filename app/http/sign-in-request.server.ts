import { findChallenge } from "#app/oidc/challenges.server.ts";
import { CHALLENGE_PARAM } from "#app/ui/sign-in-request.ts";
import type { LoadContext } from "./load-context.server.ts";

/** A sign-in that this browser came from: its challenge for the pages, and the id of the engine's interaction. */
export type SignInRequest = { challenge: string; uid: string };

/**
 * Finds the sign-in that the address of a page names. Returns null for a challenge of another browser, and for one that
 * is not, or no longer, known: such a challenge appears on no page.
 */
export async function findSignInRequest(context: LoadContext, request: Request): Promise<SignInRequest | null> {
  const challenge = new URL(request.url).searchParams.get(CHALLENGE_PARAM) ?? "";
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind === "open") return { challenge, uid: found.request.uid };
  if (found.kind === "missing" || found.reason === "foreign") return null;
  return { challenge, uid: found.uid };
}

/** The challenge of the sign-in that the address of a page names; "" when there is none for this browser. */
export async function challengeOf(context: LoadContext, request: Request): Promise<string> {
  return (await findSignInRequest(context, request))?.challenge ?? "";
}
