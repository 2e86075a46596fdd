import type { User } from "#app/db/schema.server.ts";

/** `acr` of a session with one factor. */
export const ACR_PASSWORD = "urn:gatehouse:acr:password";

/** `acr` of a session with two factors. */
export const ACR_MFA = "urn:gatehouse:acr:mfa";

/**
 * The signed-in user, from which the engine's session is made. `generation` is the current one. `amr` uses RFC 8176:
 * `pwd`, `otp`, `hwk`, `mfa`; and our own `fed`, an external provider.
 */
export type Subject = {
  userId: string;
  generation: number;
  displayName: string;
  username: string;
  amr: string[];
  acr: string;
};

/** Returns the subject of a complete sign-in. */
export function subjectOf(user: User, amr: readonly string[]): Subject {
  const { id: userId, generation, displayName, username } = user;
  return { userId, generation, displayName, username, amr: [...amr], acr: acrOf(amr) };
}

/** Returns the `acr` for these methods. */
export function acrOf(amr: readonly string[]): string {
  return amr.includes("mfa") ? ACR_MFA : ACR_PASSWORD;
}
