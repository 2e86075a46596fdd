import type { User } from "#app/db/schema.server.ts";

/** `acr` of a session with one factor. */
export const ACR_PASSWORD = "urn:gatehouse:acr:password";

/** `acr` of a session with two factors. */
export const ACR_MFA = "urn:gatehouse:acr:mfa";

/**
 * The signed-in user, from which the engine's session is made. `generation` is the current one. `amr` uses RFC 8176:
 * `pwd`, `otp`, `hwk`, `swk`, `user`, `mfa`; and our own `fed`, an external provider, and `remembered_device`.
 */
export type Subject = {
  userId: string;
  generation: number;
  displayName: string;
  username: string;
  /** URL of the user's picture; null without one. */
  picture: string | null;
  locale: string | null;
  amr: string[];
  acr: string;
};

/** `amr` value of a sign-in that skipped the second step in a remembered device. It is no factor: `acr` has one. */
export const REMEMBERED_DEVICE = "remembered_device";

/**
 * `amr` value that every sign-in begun by a passkey has: a test of user presence (RFC 8176). With user verification it
 * also has `mfa`; without, the passkey is one factor.
 */
export const USER_PRESENCE = "user";

/** Returns `amr` after these factors were given, which replace a remembered device. */
export function withFactors(amr: readonly string[], factors: readonly string[]): string[] {
  return [...new Set([...amr.filter((method) => method !== REMEMBERED_DEVICE), ...factors, "mfa"])];
}

/** Returns the subject of a complete sign-in. */
export function subjectOf(user: User, amr: readonly string[]): Subject {
  const { id: userId, generation, displayName, username, picture, locale } = user;
  return { userId, generation, displayName, username, picture, locale, amr: [...amr], acr: acrOf(amr) };
}

/** Returns the `acr` for these methods. */
export function acrOf(amr: readonly string[]): string {
  return amr.includes("mfa") ? ACR_MFA : ACR_PASSWORD;
}
