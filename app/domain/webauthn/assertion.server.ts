import { verifyAuthenticationResponse } from "@simplewebauthn/server";
import { isoBase64URL } from "@simplewebauthn/server/helpers";
import {
  type BackupFlags,
  changeBackupFlags,
  flagWebauthnCredential,
  listWebauthnCredentials,
  touchWebauthnCredential,
  type WebauthnCredential,
} from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock, Random } from "#app/ports.ts";
import { beginCeremony, type CeremonyOwner, consumeCeremonyOfSlot } from "./ceremony.server.ts";
import type { StartedAssertion } from "./options.ts";
import { findRelyingParty, type RelyingParty, userHandleOf } from "./relying-party.server.ts";
import { type AssertionResponse, isTopLevel, readAssertion } from "./responses.server.ts";

/** Dependencies of assertions. In a transaction, pass the transaction's store. */
export type AssertionDeps = { store: Store; clock: Clock; config: { issuer: string } };

/** A verified assertion. `acceptAssertion` checks its counter. `isUserVerified`: the authenticator verified the user. */
export type VerifiedAssertion = {
  credentialId: string;
  userId: string;
  counter: number;
  isUserVerified: boolean;
} & BackupFlags;

/**
 * `unknown key`: the credential is not one of this user, or one that is not accepted. `verification`: the response is
 * invalid.
 */
export type AssertionResult =
  | { kind: "verified"; assertion: VerifiedAssertion; isPasskey: boolean }
  | { kind: "refused"; reason: "unknown key" | "verification" };

/** The credentials of an assertion: the user's security keys, and the passkeys too if those are accepted. */
export type AcceptedKeys = { acceptsPasskeys: boolean };

/**
 * Starts an assertion by one of the user's keys. Returns null if the user has no key that was registered for this host,
 * or the issuer's host is an IP address.
 */
export async function startAssertion(
  context: AssertionDeps & { random: Random },
  owner: CeremonyOwner,
  accepted: AcceptedKeys,
): Promise<StartedAssertion | null> {
  const relyingParty = findRelyingParty(context.config.issuer);
  const keys = relyingParty ? await listKeysAt(context.store, owner.userId, { relyingParty, ...accepted }) : [];
  if (!relyingParty || keys.length === 0) return null;
  return {
    relyingPartyId: relyingParty.id,
    allowedCredentialIds: keys.map(({ id }) => id),
    ...(await beginCeremony(context, "webauthn-assertion", owner)),
  };
}

/** Consumes the open ceremony of the owner's slot, if any, and verifies the response to it, which may be any value. */
export async function checkAssertion(
  context: AssertionDeps,
  { owner, assertion, ...accepted }: { owner: CeremonyOwner; assertion: unknown } & AcceptedKeys,
): Promise<AssertionResult> {
  const relyingParty = findRelyingParty(context.config.issuer);
  const expectedChallenge = await consumeCeremonyOfSlot(context, "webauthn-assertion", owner);
  const response = readAssertion(assertion);
  if (!relyingParty || !expectedChallenge || !response) return { kind: "refused", reason: "verification" };
  const keys = await listKeysAt(context.store, owner.userId, { relyingParty, ...accepted });
  const credential = keys.find(({ id }) => id === response.id);
  if (!credential) return { kind: "refused", reason: "unknown key" };
  const verified = await verifyAssertion({ response, expectedChallenge, relyingParty, credential });
  if (!verified) return { kind: "refused", reason: "verification" };
  return { kind: "verified", assertion: verified, isPasskey: credential.isPasskey };
}

/**
 * Stores the use of a key in one statement that requires a higher counter; keys without a counter always send 0 and are
 * protected by the single-use ceremony alone. Returns false if the counter did not increase or the key was removed, and
 * "backup changed" if it stored other backup flags: password managers change them, and they prove nothing without an
 * attestation. Call it in a transaction, and roll back if it returns false.
 */
export async function acceptAssertion(
  { store, clock }: { store: Store; clock: Clock },
  { credentialId: id, userId, counter, backupEligible, backedUp }: VerifiedAssertion,
): Promise<boolean | "backup changed"> {
  const isChanged = await changeBackupFlags(store, { id, userId, backupEligible, backedUp });
  const isTouched = await touchWebauthnCredential(store, { id, userId, counter, now: clock.now() });
  return isTouched && isChanged ? "backup changed" : isTouched;
}

/**
 * Returns why `acceptAssertion` refused. `unknown key`: the key was removed. `counter`: the counter did not increase,
 * perhaps because the key was copied; flags the key until it is removed. A flagged key is still accepted with a higher
 * counter, so that the user is not locked out, while a copy with a lower counter is refused.
 */
export async function refuseAssertion(
  { store, clock }: { store: Store; clock: Clock },
  { credentialId: id, userId }: VerifiedAssertion,
): Promise<"counter" | "unknown key"> {
  return (await flagWebauthnCredential(store, { id, userId, now: clock.now() })) ? "counter" : "unknown key";
}

/**
 * Verifies an assertion: challenge, origin, relying party, user presence, no frame, user handle if present, not
 * backed up without being eligible, signature. `acceptAssertion` checks the counter. Returns null if invalid.
 * https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion
 */
export async function verifyAssertion(input: {
  response: AssertionResponse;
  expectedChallenge: string;
  relyingParty: RelyingParty;
  credential: Pick<WebauthnCredential, "id" | "userId" | "publicKeyBase64url">;
}): Promise<VerifiedAssertion | null> {
  const { response, relyingParty, credential } = input;
  if (!isTopLevel(response.response.clientDataJSON) || !matchesUserHandle(response, credential.userId)) return null;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: toLibrary(response),
      expectedChallenge: input.expectedChallenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: false,
      // Disables the library's counter check: it precedes the signature check, so anyone could get a key flagged.
      credential: { id: credential.id, publicKey: isoBase64URL.toBuffer(credential.publicKeyBase64url), counter: 0 },
    });
    if (!verified) return null;
    const { newCounter: counter, credentialDeviceType, credentialBackedUp: backedUp } = authenticationInfo;
    const flags = { backupEligible: credentialDeviceType === "multiDevice", backedUp };
    const isUserVerified = authenticationInfo.userVerified;
    return { credentialId: credential.id, userId: credential.userId, counter, isUserVerified, ...flags };
  } catch {
    // The library throws on invalid responses, with any kind of error.
    return null;
  }
}

async function listKeysAt(
  store: Store,
  userId: string,
  { relyingParty, acceptsPasskeys }: { relyingParty: RelyingParty } & AcceptedKeys,
): Promise<WebauthnCredential[]> {
  const keys = await listWebauthnCredentials(store, userId);
  return keys.filter(({ rpId, isPasskey }) => rpId === relyingParty.id && (acceptsPasskeys || !isPasskey));
}

function matchesUserHandle({ response: { userHandle } }: AssertionResponse, userId: string): boolean {
  return !userHandle || Buffer.from(userHandle, "base64url").equals(userHandleOf(userId));
}

function toLibrary({ response: { userHandle: _checked, ...response }, ...rest }: AssertionResponse) {
  return { ...rest, response, clientExtensionResults: {} };
}
