import { UnsecuredJWT } from "jose";
import { type ChallengeDeps, findInteraction } from "./challenges.server.ts";
import type { KeptRequest } from "./finished-interaction.server.ts";
import { ENGINE_ROUTES } from "./paths.ts";
import { sealChallenge } from "./seal.server.ts";

/** Dependencies of `restartRequest`. Each restart writes a record, so restarts are limited. */
type RestartDeps = ChallengeDeps & { requireStorable(): Promise<void> };

const REQUEST_URN = "urn:ietf:params:oauth:request_uri:";
const PUSHED_SECONDS = 60;

/**
 * Restarts an authorization request whose interaction expired or belongs to another browser, by an in-process,
 * single-use pushed request of its parameters (RFC 9126 §2.2, RFC 9101 §4).
 * @param loginHint user name to keep, or null
 * @returns authorization URL; null if nothing is kept of the request or it was completed
 * @throws a 429 Response if the client's address has stored too many requests
 */
export async function restartRequest(
  context: RestartDeps,
  { kept, loginHint }: { kept: KeptRequest | null; loginHint: string | null },
): Promise<string | null> {
  if (!kept || kept.used) return null;
  await context.requireStorable();
  const provider = await context.oidc.provider();
  const { claims, ...params } = kept.params;
  const clientId = String(params.client_id);
  const request = new UnsecuredJWT({
    ...params,
    ...(typeof claims === "string" ? { claims: JSON.parse(claims) } : {}),
    ...(loginHint ? { login_hint: loginHint } : {}),
  })
    .setIssuer(clientId)
    .setAudience(provider.issuer)
    .setIssuedAt(context.clock.now())
    .setNotBefore(context.clock.now())
    .setExpirationTime(new Date(context.clock.now().getTime() + PUSHED_SECONDS * 1000))
    .encode();
  const pushed = new provider.PushedAuthorizationRequest({ request, trusted: kept.trusted });
  const id = await pushed.save(PUSHED_SECONDS);
  return `${ENGINE_ROUTES.authorization}?${new URLSearchParams({ client_id: clientId, request_uri: REQUEST_URN + id })}`;
}

/**
 * Resumes a stored request: returns the challenge for its sign-in form or, if it has expired, the URL of the same request, which
 * is started again with the user name as its hint. The caller must have checked that this browser made the request.
 * @returns null if the request is unknown
 */
export async function resumeRequest(
  context: RestartDeps,
  { uid, browser, username }: { uid: string; browser: string; username: string },
): Promise<{ challenge: string } | { location: string } | null> {
  const { interaction, kept } = await findInteraction(context, { uid, sealedInteraction: null });
  if (!kept) return null;
  const location = interaction ? null : await restartRequest(context, { kept, loginHint: username });
  if (location !== null) return { location };
  return { challenge: sealChallenge(context.secrets, { kind: "login", uid, browser }) };
}
