import type { KoaContextWithOIDC } from "oidc-provider";
import { refusedScopes } from "#app/domain/scope/scopes.ts";

/**
 * The request parameter that carries the refused scopes from the request to the consent prompt.
 * An application may send it itself: it then refuses itself, no more. It is never cleared.
 */
export const INVALID_SCOPE_PARAM = "gatehouse_refused_scope";

/**
 * Marks a request that asks for scopes the client may not have. The engine drops unknown scopes before any prompt,
 * and this hook (its default resource) is the last one that still sees them.
 */
export async function markRefusedScopes({ oidc }: KoaContextWithOIDC): Promise<undefined> {
  const { params, client } = oidc;
  if (!params || typeof params.scope !== "string") return undefined;
  const allowed = Array.isArray(client?.allowed_scopes) ? client.allowed_scopes.map(String) : [];
  const refused = refusedScopes(params.scope.split(" ").filter(Boolean), allowed);
  if (refused.length > 0) params[INVALID_SCOPE_PARAM] = refused.join(" ");
  return undefined;
}
