import { isIP } from "node:net";

/** The relying party. `id` is the host name, to which credentials are bound; `origin` must match exactly. */
export type RelyingParty = { id: string; origin: string };

/**
 * Returns the relying party of an issuer: its host name and origin. Returns null for an IP address, which is not a
 * valid RP ID. https://www.w3.org/TR/webauthn-3/#rp-id
 */
export function findRelyingParty(issuer: string): RelyingParty | null {
  const { hostname, origin } = new URL(issuer);
  // Removes the brackets of an IPv6 address.
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return null;
  return { id: hostname, origin };
}

/**
 * Returns the user handle: the bytes of the user's id, which is random and contains no personal data. At most 64 bytes.
 * https://www.w3.org/TR/webauthn-3/#user-handle
 */
export function userHandleOf(userId: string): Buffer {
  return Buffer.from(userId, "utf8");
}
