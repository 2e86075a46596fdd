import type { User } from "#app/db/schema.server.ts";

/** `acr` of a session that rests on one factor. */
export const ACR_PASSWORD = "urn:gatehouse:acr:password";

/** `acr` of a session that rests on two factors. */
export const ACR_MFA = "urn:gatehouse:acr:mfa";

/**
 * Who signed in and how; what the engine's session is made from. `generation` is the user's at this moment; `amr` names
 * the methods as in RFC 8176: `pwd` password, `otp` one-time code, `hwk` security key, `mfa` several factors; `fed` is
 * ours, an external provider.
 */
export type Subject = {
  userId: string;
  generation: number;
  displayName: string;
  username: string;
  amr: string[];
  acr: string;
};

/** The subject of a complete sign-in. */
export function subjectOf(user: User, amr: readonly string[]): Subject {
  const { id: userId, generation, displayName, username } = user;
  return { userId, generation, displayName, username, amr: [...amr], acr: acrOf(amr) };
}

/** The `acr` that these methods reach. */
export function acrOf(amr: readonly string[]): string {
  return amr.includes("mfa") ? ACR_MFA : ACR_PASSWORD;
}
