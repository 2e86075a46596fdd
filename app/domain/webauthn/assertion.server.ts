import { verifyAuthenticationResponse } from "@simplewebauthn/server";
import { isoBase64URL } from "@simplewebauthn/server/helpers";
import {
  flagWebauthnCredential,
  listWebauthnCredentials,
  touchWebauthnCredential,
  type WebauthnCredential,
} from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock, Random } from "#app/ports.ts";
import { beginCeremony, type CeremonyOwner, consumeCeremonyOfSlot } from "./ceremony.server.ts";
import { isTopLevel } from "./client-data.server.ts";
import type { StartedAssertion } from "./options.ts";
import { findRelyingParty, type RelyingParty } from "./relying-party.server.ts";
import { type AssertionResponse, readAssertion } from "./responses.server.ts";
import { userHandleOf } from "./user-handle.server.ts";

/** What checking a key touches. Inside a transaction hand in the transaction's store. */
export type AssertionDeps = { store: Store; clock: Clock; config: { issuer: string } };

/** A verified use of a key; `acceptAssertion` has the last word. */
export type VerifiedAssertion = { credentialId: string; userId: string; counter: number; backedUp: boolean };

/** `unknown key`: the answer is not by a key of this user. `verification`: it is no right answer to our question. */
export type AssertionVerdict =
  | { kind: "verified"; assertion: VerifiedAssertion }
  | { kind: "refused"; reason: "unknown key" | "verification" };

/**
 * Asks for one of the owner's keys. Null when there is none to ask for: the user has none that was registered at this
 * host, or the issuer's host is an IP address.
 */
export async function startAssertion(
  context: AssertionDeps & { random: Random },
  owner: CeremonyOwner,
): Promise<StartedAssertion | null> {
  const relyingParty = findRelyingParty(context.config.issuer);
  const keys = relyingParty ? await listKeysAt(context.store, owner.userId, relyingParty) : [];
  if (!relyingParty || keys.length === 0) return null;
  return {
    relyingPartyId: relyingParty.id,
    allowedCredentialIds: keys.map(({ id }) => id),
    ...(await beginCeremony(context, "webauthn-assertion", owner)),
  };
}

/**
 * Uses up the open ceremony of the owner's slot and verifies the answer to it, taken for anything at all. Without an open
 * ceremony every answer is refused.
 */
export async function checkAssertion(
  context: AssertionDeps,
  { owner, assertion }: { owner: CeremonyOwner; assertion: unknown },
): Promise<AssertionVerdict> {
  const relyingParty = findRelyingParty(context.config.issuer);
  const expectedChallenge = await consumeCeremonyOfSlot(context, "webauthn-assertion", owner);
  const response = readAssertion(assertion);
  if (!relyingParty || !expectedChallenge || !response) return { kind: "refused", reason: "verification" };
  const keys = await listKeysAt(context.store, owner.userId, relyingParty);
  const credential = keys.find(({ id }) => id === response.id);
  if (!credential) return { kind: "refused", reason: "unknown key" };
  const verified = await verifyAssertion({ response, expectedChallenge, relyingParty, credential });
  return verified ? { kind: "verified", assertion: verified } : { kind: "refused", reason: "verification" };
}

/**
 * Stores the use of a key, in one statement that asks for a higher counter than the stored one; keys that never count
 * always say 0, and rest on the ceremony being good for one answer. False when the counter did not rise, or the key was
 * removed meanwhile: `refuseAssertion` says which.
 */
export async function acceptAssertion(
  { store, clock }: { store: Store; clock: Clock },
  { credentialId: id, userId, counter, backedUp }: VerifiedAssertion,
): Promise<boolean> {
  return touchWebauthnCredential(store, { id, userId, counter, backedUp, now: clock.now() });
}

/**
 * Why a verified key was not accepted. `counter`: its counter did not rise, so that perhaps there are two of it; the key
 * is flagged now. A flagged key is asked for and taken like any other, and so only with a higher counter than ever
 * before: who has lost a count is not locked out for good, and of two copies the one that is behind stays out. The flag
 * stays until the key is removed. `unknown key`: the key is gone.
 */
export async function refuseAssertion(
  { store, clock }: { store: Store; clock: Clock },
  { credentialId: id, userId }: VerifiedAssertion,
): Promise<"counter" | "unknown key"> {
  return (await flagWebauthnCredential(store, { id, userId, now: clock.now() })) ? "counter" : "unknown key";
}

/**
 * Verifies an assertion by one of the user's keys: challenge, origin, relying party, presence of a person, no frame, the
 * owner where the key names one, backup eligibility as at the registration, signature. Not the counter: that is compared
 * where it is stored. Null when refused. https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion
 */
export async function verifyAssertion(input: {
  response: AssertionResponse;
  expectedChallenge: string;
  relyingParty: RelyingParty;
  credential: WebauthnCredential;
}): Promise<VerifiedAssertion | null> {
  const { response, relyingParty, credential } = input;
  if (!isTopLevel(response.response.clientDataJSON) || !namesOwner(response, credential.userId)) return null;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: toLibrary(response),
      expectedChallenge: input.expectedChallenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: false,
      // The library compares counters before it checks the signature: anybody could make it look like a copied key.
      credential: { id: credential.id, publicKey: isoBase64URL.toBuffer(credential.publicKeyBase64url), counter: 0 },
    });
    const { newCounter: counter, credentialDeviceType, credentialBackedUp: backedUp } = authenticationInfo;
    if (!verified || (credentialDeviceType === "multiDevice") !== credential.backupEligible) return null;
    return { credentialId: credential.id, userId: credential.userId, counter, backedUp };
  } catch {
    // The library says no by throwing; on garbage it may throw anything.
    return null;
  }
}

async function listKeysAt(store: Store, userId: string, relyingParty: RelyingParty): Promise<WebauthnCredential[]> {
  const keys = await listWebauthnCredentials(store, userId);
  return keys.filter(({ rpId }) => rpId === relyingParty.id);
}

function namesOwner({ response: { userHandle } }: AssertionResponse, userId: string): boolean {
  return !userHandle || Buffer.from(userHandle, "base64url").equals(userHandleOf(userId));
}

function toLibrary({ response: { userHandle: _checked, ...response }, ...rest }: AssertionResponse) {
  return { ...rest, response, clientExtensionResults: {} };
}
