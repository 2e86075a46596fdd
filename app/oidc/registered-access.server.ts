import type { Client, KoaContextWithOIDC } from "oidc-provider";
import { z } from "zod";
import { refusedClaims, refusedScopes } from "#app/domain/scope/scopes.ts";

/**
 * The request parameter that carries the refused scopes from the request to the consent prompt.
 * An application may send it itself: it then refuses itself, no more. It is never cleared.
 */
export const INVALID_SCOPE_PARAM = "gatehouse_refused_scope";

/** The claims parameter (OpenID Connect Core 1.0 section 5.5), which the engine has checked by now. */
const claimsParameter = z.looseObject({
  userinfo: z.record(z.string(), z.unknown()).optional(),
  id_token: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Holds a request to what is registered for its client: scopes that it may not have are marked, to be shown to the
 * person; single claims of such scopes are passed over, as claims are wishes. The engine drops unknown scopes before any
 * prompt, and this hook (its default resource) is the last one that still sees them.
 */
export async function holdToRegistration({ oidc }: KoaContextWithOIDC): Promise<undefined> {
  const { params, client } = oidc;
  if (!params) return undefined;
  const allowed = allowedScopes(client);
  if (typeof params.scope === "string") {
    const refused = refusedScopes(params.scope.split(" ").filter(Boolean), allowed);
    if (refused.length > 0) params[INVALID_SCOPE_PARAM] = refused.join(" ");
  }
  if (typeof params.claims === "string") params.claims = withoutRefused(params.claims, allowed);
  return undefined;
}

/** The scopes that an administrator registered for this client. */
function allowedScopes(client: Client | undefined): string[] {
  return Array.isArray(client?.allowed_scopes) ? client.allowed_scopes.map(String) : [];
}

function withoutRefused(parameter: string, allowed: string[]): string {
  const { userinfo, id_token, ...rest } = claimsParameter.parse(JSON.parse(parameter));
  const kept = (claims: Record<string, unknown>) => {
    const refused = refusedClaims(Object.keys(claims), allowed);
    return Object.fromEntries(Object.entries(claims).filter(([claim]) => !refused.includes(claim)));
  };
  return JSON.stringify({
    ...rest,
    ...(userinfo ? { userinfo: kept(userinfo) } : {}),
    ...(id_token ? { id_token: kept(id_token) } : {}),
  });
}
