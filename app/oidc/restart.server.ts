import { UnsecuredJWT } from "jose";
import type { ChallengeDeps } from "./challenges.server.ts";
import { findKeptRequest } from "./kept-interaction.server.ts";
import { ENGINE_ROUTES } from "./paths.ts";

/** What `restartRequest` needs: each restart writes a record, so each is counted. */
export type RestartContext = ChallengeDeps & { requirePlaceToPush(): Promise<void> };

const REQUEST_URN = "urn:ietf:params:oauth:request_uri:";
const PUSHED_SECONDS = 60;

/**
 * Starts an authorization request again whose interaction ran out or belongs to another browser: its parameters are
 * pushed in process, good for one use (RFC 9126 section 2.2, RFC 9101 section 4).
 * @param loginHint the user name to keep, if one was typed
 * @returns the address of the engine to go to, or null when nothing is kept of the request or it was answered
 * @throws a 429 page when the client's address has restarted too many requests
 */
export async function restartRequest(
  context: RestartContext,
  { uid, loginHint }: { uid: string; loginHint: string | null },
): Promise<string | null> {
  const kept = await findKeptRequest(context, uid);
  if (!kept || kept.used) return null;
  await context.requirePlaceToPush();
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
