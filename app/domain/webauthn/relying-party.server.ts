import { isIP } from "node:net";

/**
 * Who Gatehouse is to an authenticator. `id` is a host name, which every credential is bound to; `origin` is scheme, host
 * and port, which every answer must name letter for letter.
 */
export type RelyingParty = { id: string; origin: string };

/**
 * The relying party of this issuer: its host name and its origin, no parent domain and no second origin. Null when the
 * issuer's host is an IP address: browsers take none as relying party, so there are no security keys there.
 * https://www.w3.org/TR/webauthn-3/#rp-id
 */
export function findRelyingParty(issuer: string): RelyingParty | null {
  const { hostname, origin } = new URL(issuer);
  // An IPv6 address stands in brackets in a URL.
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return null;
  return { id: hostname, origin };
}
