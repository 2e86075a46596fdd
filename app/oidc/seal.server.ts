import { isSealedSecret, type Secrets } from "#app/domain/secret/secrets.server.ts";
import type { SealedSecret } from "#app/ports.ts";

/** Kind of prompt that a challenge belongs to. */
export type ChallengeKind = "login" | "consent";

/** Ids of oidc-provider (nanoid's alphabet). */
const UID = /^[A-Za-z0-9_-]{16,64}$/;

type ChallengeContent = {
  kind: ChallengeKind;
  uid: string;
  browser: string;
  /** The interaction, if it is not stored (`sealInteraction`). */
  sealedInteraction?: SealedSecret | null;
};

/**
 * Creates a challenge: the interaction's uid, a MAC over it, its content and the browser cookie, and the content of an
 * interaction that is not stored. Another browser cannot use it.
 */
export function sealChallenge(secrets: Pick<Secrets, "mac">, content: ChallengeContent): string {
  const mac = secrets.mac(`${content.kind}-challenge`, authenticated(content));
  return [content.uid, mac, content.sealedInteraction ?? []].flat().join(".");
}

/** A parsed challenge. */
export type OpenedChallenge = {
  uid: string;
  /** `foreign`: the MAC is for another browser or kind, or forged. */
  sealedFor: "own" | "foreign";
  /** Content of an interaction that may not be stored. Without a valid MAC, it may be that of another uid. */
  sealedInteraction: SealedSecret | null;
};

/** Parses a challenge. Returns null if it is malformed. */
export function openChallenge(
  secrets: Pick<Secrets, "checkMac">,
  { kind, challenge, browser }: { kind: ChallengeKind; challenge: string; browser: string },
): OpenedChallenge | null {
  const [uid = "", mac = "", ...rest] = challenge.split(".");
  if (!UID.test(uid) || mac === "") return null;
  const sealed = rest.join(".");
  const sealedInteraction = isSealedSecret(sealed) ? sealed : null;
  if (rest.length > 0 && sealedInteraction === null) return null;
  const isOwn = secrets.checkMac(`${kind}-challenge`, authenticated({ kind, uid, browser, sealedInteraction }), mac);
  return { uid, sealedFor: isOwn ? "own" : "foreign", sealedInteraction };
}

/** Returns the uid in a challenge, unchecked. The same request may have a challenge with its content and one without. */
export function uidOf(challenge: string): string {
  return challenge.split(".", 1).join();
}

/** Returns the text under the MAC. Neither the uid nor the browser cookie contains a dot. */
function authenticated({ uid, browser, sealedInteraction }: ChallengeContent): string {
  return [uid, browser, sealedInteraction ?? []].flat().join(".");
}
