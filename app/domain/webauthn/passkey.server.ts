import { decodeClientDataJSON } from "@simplewebauthn/server/helpers";
import { findPasskeyInBrowser, type PasskeyInBrowser } from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { type VerifiedAssertion, verifyAssertion } from "./assertion.server.ts";
import { findRelyingParty, type RelyingParty } from "./relying-party.server.ts";
import { type AssertionResponse, readAssertion } from "./responses.server.ts";

/** COSE key on P-256, in base64url, whose private key was discarded. */
const DECOY_PUBLIC_KEY =
  "pQECAyYgASFYIBemmNUGuAdL4nJHysSWC3P3k_gZYNVd5Sb0Ys9Ei7ndIlggKgBSqDgQBVc4TFnF8EtY7ZqgiSlbwgXOjt1bo11cLik";

/** A response to a sign-in by passkey, read but not verified. `passkey`: null for an unknown one, or of another user. */
export type PasskeyResponse = {
  passkey: PasskeyInBrowser | null;
  /** The challenge that the response names; "" for a malformed response. */
  challenge: string;
  verify(): Promise<VerifiedAssertion | null>;
};

/**
 * Reads the browser's response, which may be any text, and finds the passkey that it names. The user handle identifies
 * the user: the credential must be a passkey of that user. `verify` checks everything but the origin of the challenge
 * (`isPasskeyChallenge`). It verifies the signature of an unknown passkey, too, with another public key, so that the time
 * does not reveal that a passkey is registered.
 */
export async function readPasskeyResponse(
  { store, config }: { store: Store; config: { issuer: string } },
  { assertion, browser }: { assertion: string; browser: string },
): Promise<PasskeyResponse> {
  const relyingParty = findRelyingParty(config.issuer);
  const response = readAssertion(parseJson(assertion));
  const userId = Buffer.from(response?.response.userHandle ?? "", "base64url").toString("utf8");
  const passkey = await findPasskeyInBrowser(store, {
    id: response?.id ?? "",
    userId,
    rpId: relyingParty?.id ?? "",
    browserHash: hashToken(browser),
  });
  const challenge = response ? challengeOf(response) : "";
  return {
    passkey,
    challenge,
    async verify() {
      if (!response || !relyingParty) return null;
      return verifyOrDecoy({ response, challenge, relyingParty, passkey });
    },
  };
}

async function verifyOrDecoy(input: {
  response: AssertionResponse;
  challenge: string;
  relyingParty: RelyingParty;
  passkey: PasskeyInBrowser | null;
}): Promise<VerifiedAssertion | null> {
  const { response, relyingParty, passkey } = input;
  const decoy = { id: response.id, userId: "", publicKeyBase64url: DECOY_PUBLIC_KEY };
  // The user handle of the response differs from the decoy's, but must not end the check early.
  const compared = passkey ? response : { ...response, response: { ...response.response, userHandle: null } };
  const credential = passkey?.credential ?? decoy;
  const expectedChallenge = input.challenge;
  const verified = await verifyAssertion({ response: compared, expectedChallenge, relyingParty, credential });
  return passkey && verified;
}

function challengeOf({ response }: AssertionResponse): string {
  try {
    return String(decodeClientDataJSON(response.clientDataJSON).challenge);
  } catch {
    return "";
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
