import { spendOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { HOUR_MS } from "#app/durations.ts";
import type { Clock, Random } from "#app/ports.ts";

const NONCE_BYTES = 16;

/** At least the lifetime of an interaction, after which its challenges are not accepted any more. */
const SPENT_MS = 2 * HOUR_MS;

/** The owner of a challenge: `uid` of the interaction, and the value of the browser cookie. */
type ChallengeOwner = { uid: string; browser: string };

/**
 * Issues the challenge of a sign-in by passkey: 16 random bytes and their MAC with the interaction and the browser, 64
 * characters of base64url. It is not stored, so that visitors of the sign-in page write nothing: `spendPasskeyChallenge`
 * makes it single-use when it is answered. It is valid as long as its interaction is open, at most an hour.
 */
export function issuePasskeyChallenge(
  { secrets, random }: { secrets: Pick<Secrets, "mac">; random: Random },
  owner: ChallengeOwner,
): string {
  const nonce = Buffer.from(random.bytes(NONCE_BYTES));
  const mac = secrets.mac("passkey-challenge", content(nonce, owner));
  return Buffer.concat([nonce, Buffer.from(mac, "base64url")]).toString("base64url");
}

/** Returns true if the challenge was issued for this interaction to this browser. It may be spent. */
export function isPasskeyChallenge(
  { secrets }: { secrets: Pick<Secrets, "checkMac"> },
  challenge: string,
  owner: ChallengeOwner,
): boolean {
  const bytes = Buffer.from(challenge, "base64url");
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const mac = bytes.subarray(NONCE_BYTES).toString("base64url");
  // Base64url decoding ignores stray characters, so that other texts could stand for a spent challenge.
  return bytes.toString("base64url") === challenge && secrets.checkMac("passkey-challenge", content(nonce, owner), mac);
}

/** Spends a challenge of `isPasskeyChallenge`. Returns false if it is spent. Call it in the transaction of the answer. */
export async function spendPasskeyChallenge(
  { store, clock }: { store: Store; clock: Clock },
  challenge: string,
): Promise<boolean> {
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + SPENT_MS);
  return spendOneTimeToken(store, { kind: "webauthn-passkey", tokenHash: hashToken(challenge), now, expiresAt });
}

function content(nonce: Buffer, { uid, browser }: ChallengeOwner): string {
  return [nonce.toString("base64url"), uid, hashToken(browser)].join("/");
}
