import type { Secrets } from "#app/domain/secret/secrets.server.ts";

/** Kind of prompt that a challenge belongs to. */
export type ChallengeKind = "login" | "consent";

/** Ids of oidc-provider (nanoid's alphabet). */
const UID = /^[A-Za-z0-9_-]{16,64}$/;

/**
 * Creates a challenge: the interaction's uid and a MAC over it and the browser cookie. It needs no row, and another
 * browser cannot use it.
 */
export function sealChallenge(
  secrets: Pick<Secrets, "mac">,
  { kind, uid, browser }: { kind: ChallengeKind; uid: string; browser: string },
): string {
  return `${uid}.${secrets.mac(`${kind}-challenge`, `${uid}.${browser}`)}`;
}

/**
 * Parses a challenge. `own`: sealed to this browser; `foreign`: well-formed, but with a MAC for another browser or
 * kind, or a forged one; null: malformed.
 */
export function openChallenge(
  secrets: Pick<Secrets, "checkMac">,
  { kind, challenge, browser }: { kind: ChallengeKind; challenge: string; browser: string },
): { uid: string; sealedFor: "own" | "foreign" } | null {
  const [uid = "", mac = "", ...more] = challenge.split(".");
  if (!UID.test(uid) || mac === "" || more.length > 0) return null;
  const own = secrets.checkMac(`${kind}-challenge`, `${uid}.${browser}`, mac);
  return { uid, sealedFor: own ? "own" : "foreign" };
}
