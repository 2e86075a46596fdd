import type { Secrets } from "#app/domain/secret/secrets.server.ts";

/** What a challenge asks for. */
export type ChallengeKind = "login" | "consent";

/** Ids of the engine: nanoid's alphabet. */
const UID = /^[A-Za-z0-9_-]{16,64}$/;

/**
 * Writes a challenge: the interaction's id and a MAC over it and the browser cookie. Whoever holds the address alone
 * cannot use it in another browser, and no row is needed.
 */
export function sealChallenge(
  secrets: Pick<Secrets, "mac">,
  { kind, uid, browser }: { kind: ChallengeKind; uid: string; browser: string },
): string {
  return `${uid}.${secrets.mac(`${kind}-challenge`, `${uid}.${browser}`)}`;
}

/**
 * Reads a challenge. `own`: made for this browser; `foreign`: well formed, but made for another browser, another kind
 * or by somebody else; null: no challenge at all.
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
