import { type VerifiedRegistrationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { decodeAttestationObject, isoBase64URL } from "@simplewebauthn/server/helpers";
import { findUser } from "#app/db/repositories/users.server.ts";
import {
  addWebauthnCredential,
  listWebauthnCredentials,
  type NewWebauthnCredential,
} from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock, Random } from "#app/ports.ts";
import { beginCeremony, type CeremonyOwner, consumeCeremony } from "./ceremony.server.ts";
import { isTopLevel } from "./client-data.server.ts";
import { type FirstKeyNames, firstKeyName } from "./key-name.ts";
import { ALGORITHMS, type StartedRegistration } from "./options.ts";
import { algorithmOf } from "./public-key.server.ts";
import { findRelyingParty, type RelyingParty } from "./relying-party.server.ts";
import { type RegistrationResponse, readRegistration } from "./responses.server.ts";
import { userHandleOf } from "./user-handle.server.ts";

/**
 * The attestation formats of roaming keys. The others are those of a computer's or a phone's own authenticator, which we
 * never ask for; and to check some of them the library fetches addresses that stand in the sender's certificates.
 */
const FORMATS: readonly string[] = ["packed", "fido-u2f", "none"];

/** Of the product, for users without a picture. */
const BRAND_ICON = "/apple-touch-icon.png";

/** What registering touches. */
export type RegistrationDeps = { store: Store; clock: Clock; config: { issuer: string } };

/** A new key whose registration was verified; not stored yet. */
export type RegisteredKey = Omit<NewWebauthnCredential, "userId" | "name" | "createdAt">;

/**
 * Begins the registration of a security key. Every key the user has is named, so that none is registered twice. Null where
 * there are no security keys (the issuer's host is an IP address), and for a user who was removed meanwhile.
 */
export async function startRegistration(
  context: RegistrationDeps & { random: Random },
  owner: CeremonyOwner,
): Promise<StartedRegistration | null> {
  const relyingParty = findRelyingParty(context.config.issuer);
  if (!relyingParty) return null;
  const user = await findUser(context.store, owner.userId);
  if (!user) return null;
  const { username, displayName, picture } = user;
  const existing = await listWebauthnCredentials(context.store, owner.userId);
  const userId = userHandleOf(owner.userId).toString("base64");
  const icon = picture ?? new URL(BRAND_ICON, context.config.issuer).href;
  return {
    relyingPartyId: relyingParty.id,
    userId,
    user: { username, displayName, base64EncodedUserId: userId, icon },
    existingCredentialIds: existing.map(({ id }) => id),
    ...(await beginCeremony(context, "webauthn-registration", owner)),
  };
}

/**
 * Uses up the ceremony and verifies the answer to it: `credentialJson` is the text of JSON that the browser sent, taken
 * for anything at all. Null when the ceremony is not this owner's open one, or the answer is refused.
 */
export async function checkRegistration(
  context: RegistrationDeps,
  { owner, sessionId, credentialJson }: { owner: CeremonyOwner; sessionId: string; credentialJson: unknown },
): Promise<RegisteredKey | null> {
  const relyingParty = findRelyingParty(context.config.issuer);
  const expectedChallenge = await consumeCeremony(context, "webauthn-registration", { sessionId, owner });
  const response = readRegistration(credentialJson);
  if (!relyingParty || !expectedChallenge || !response) return null;
  return verifyRegistration({ response, expectedChallenge, relyingParty });
}

/** What a new key is called: as its owner says, or else by a first name. */
export type KeyNaming = { name?: string | undefined; firstNames: FirstKeyNames };

/**
 * Stores a verified key for this user. False when its id is registered already, by whomever. To be
 * called in a transaction.
 */
export async function addKey(
  { store, clock }: { store: Store; clock: Clock },
  { userId, key, name, firstNames }: { userId: string; key: RegisteredKey } & KeyNaming,
): Promise<boolean> {
  const taken = (await listWebauthnCredentials(store, userId)).map(({ name }) => name);
  const chosen = name || firstKeyName(key.transports ?? [], taken, firstNames);
  return addWebauthnCredential(store, { ...key, userId, name: chosen, createdAt: clock.now() });
}

/**
 * Verifies a registration: challenge, origin, relying party, presence of a person, no frame, an algorithm and a curve of
 * ours, backup flags that make sense, and the attestation's signature. Whose root certificate an attestation leads to is
 * not validated, as we keep no list of manufacturers: every attestation of a known format whose signature is right is taken,
 * `none` too. Null when refused. https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential
 */
export async function verifyRegistration(input: {
  response: RegistrationResponse;
  expectedChallenge: string;
  relyingParty: RelyingParty;
}): Promise<RegisteredKey | null> {
  const { response, relyingParty } = input;
  if (!isTopLevel(response.response.clientDataJSON) || !hasKnownFormat(response)) return null;
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {} },
      expectedChallenge: input.expectedChallenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    return registrationInfo ? toKey(registrationInfo, input) : null;
  } catch {
    // The library says no by throwing; on garbage it may throw anything.
    return null;
  }
}

function hasKnownFormat({ response }: RegistrationResponse): boolean {
  try {
    return FORMATS.includes(decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject)).get("fmt"));
  } catch {
    return false;
  }
}

function toKey(
  { credential, aaguid, fmt, credentialDeviceType, credentialBackedUp }: RegistrationInfo,
  { response, relyingParty }: { response: RegistrationResponse; relyingParty: RelyingParty },
): RegisteredKey | null {
  const algorithm = algorithmOf(credential.publicKey);
  // The library compares the id that the browser names with nothing.
  if (algorithm === null || credential.id !== response.id) return null;
  return {
    id: credential.id,
    rpId: relyingParty.id,
    publicKeyBase64url: isoBase64URL.fromBuffer(credential.publicKey),
    algorithm,
    counter: credential.counter,
    transports: response.response.transports,
    aaguid,
    attestationFormat: fmt,
    backupEligible: credentialDeviceType === "multiDevice",
    backedUp: credentialBackedUp,
  };
}

type RegistrationInfo = NonNullable<VerifiedRegistrationResponse["registrationInfo"]>;
