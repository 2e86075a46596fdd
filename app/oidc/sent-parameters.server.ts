import type { KoaContextWithOIDC } from "oidc-provider";

/**
 * Returns the parameters of a new authorization request as the client sent them, in the query or pushed; null for a
 * request that is resumed, or whose parameters were pushed before.
 */
export function sentParameters({ oidc, query }: KoaContextWithOIDC): Readonly<Record<string, unknown>> | null {
  if (oidc.route === "pushed_authorization_request") return oidc.body ?? {};
  const isPushed = oidc.entities.PushedAuthorizationRequest !== undefined;
  return oidc.route === "authorization" && !isPushed ? query : null;
}
