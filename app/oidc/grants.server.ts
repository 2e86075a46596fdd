import type { KoaContextWithOIDC } from "oidc-provider";
import type { Store } from "#app/db/store.server.ts";
import { findRememberedConsent } from "#app/domain/consent/remembered.server.ts";
import type { Clock } from "#app/ports.ts";
import { generationOf, setGeneration } from "./session-generation.server.ts";

/**
 * Loads the grant of a request: the one just given on the consent page, or the session's if it covers the request.
 * Otherwise, if the client is first-party or a remembered consent covers the request, extends or creates one.
 */
export async function loadExistingGrant(context: { store: Store; clock: Clock }, ctx: KoaContextWithOIDC) {
  const { client, session, result, provider } = ctx.oidc;
  if (!client || !session?.accountId) return undefined;
  const consentedGrantId = result?.consent?.grantId;
  if (consentedGrantId) return provider.Grant.find(consentedGrantId);

  const sessionGrantId = session.grantIdFor(client.clientId);
  const existing = sessionGrantId ? await provider.Grant.find(sessionGrantId) : undefined;
  const requested = requestedAccess(ctx);
  if (existing && covers({ scopes: existing.getOIDCScope().split(" "), claims: existing.getOIDCClaims() }, requested)) {
    return existing;
  }
  const allowed = client.first_party
    ? requested
    : await findRememberedConsent(context, session.accountId, client.clientId);
  if (!allowed || !covers(allowed, requested)) return existing;

  const grant = existing ?? new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
  // Uses the generation of a sign-in that just finished; the session takes it later (interaction-policy.server.ts).
  const finished = result?.login?.generation;
  if (!existing) setGeneration(grant, typeof finished === "number" ? finished : generationOf(session));
  grant.addOIDCScope(requested.scopes.join(" "));
  if (requested.claims.length > 0) grant.addOIDCClaims(requested.claims);
  await grant.save();
  return grant;
}

type Access = { scopes: string[]; claims: string[] };

function requestedAccess({ oidc }: KoaContextWithOIDC): Access {
  return { scopes: [...oidc.requestParamOIDCScopes], claims: [...oidc.requestParamClaims] };
}

/** Returns true if the allowed scopes and claims include the requested ones; `openid` needs no consent. */
export function covers(allowed: Access, requested: Access): boolean {
  return (
    requested.scopes.every((scope) => scope === "openid" || allowed.scopes.includes(scope)) &&
    requested.claims.every((claim) => allowed.claims.includes(claim))
  );
}
