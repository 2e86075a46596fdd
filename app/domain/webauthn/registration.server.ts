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
import { algorithmOf } from "./algorithm.server.ts";
import { beginCeremony, type CeremonyOwner, consumeCeremony } from "./ceremony.server.ts";
import { type DefaultKeyNames, defaultKeyName, defaultPasskeyName } from "./key-name.ts";
import { ALGORITHMS, type StartedRegistration } from "./options.ts";
import { PASSKEY_ALGORITHMS } from "./passkey-options.ts";
import { findRelyingParty, type RelyingParty, userHandleOf } from "./relying-party.server.ts";
import { isTopLevel, type RegistrationResponse, readRegistration } from "./responses.server.ts";

/**
 * Attestation formats of roaming keys. The others belong to platform authenticators, which are not requested; to verify
 * some of them the library fetches URLs from the sender's certificates.
 */
const FORMATS: readonly string[] = ["packed", "fido-u2f", "none"];

/** Icon for users without a picture. */
const BRAND_ICON = "/apple-touch-icon.png";

/** Dependencies of registrations. */
export type RegistrationDeps = { store: Store; clock: Clock; config: { issuer: string } };

/** A verified, but not yet stored security key or passkey. */
export type RegisteredKey = Omit<NewWebauthnCredential, "userId" | "name" | "createdAt">;

/** A security key is a second factor only; a passkey is discoverable, and verifies its user. */
export type KeyKind = "security key" | "passkey";

/**
 * Starts the registration of a security key or a passkey. Excludes the keys and passkeys that the user already has.
 * Returns null if the issuer's host is an IP address or the user was removed.
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
 * Consumes the ceremony and verifies the response: `credentialJson` is the JSON from the browser, and may be any value.
 * Returns null if the ceremony is not open or of another owner, or the response is invalid.
 */
export async function checkRegistration(
  context: RegistrationDeps,
  { owner, sessionId, credentialJson, kind = "security key" }: CheckInput,
): Promise<RegisteredKey | null> {
  const relyingParty = findRelyingParty(context.config.issuer);
  const expectedChallenge = await consumeCeremony(context, "webauthn-registration", { sessionId, owner });
  const response = readRegistration(credentialJson);
  if (!relyingParty || !expectedChallenge || !response) return null;
  return verifyRegistration({ response, expectedChallenge, relyingParty, kind });
}

type CheckInput = { owner: CeremonyOwner; sessionId: string; credentialJson: unknown; kind?: KeyKind };

/** Name of a new key: the one given by the user, or a default name. */
export type KeyNaming = { name?: string | undefined; firstNames: DefaultKeyNames };

/** Response to a started registration: its `sessionId`, the JSON from the browser, and the name of the key. */
export type KeyRegistrationResponse = { sessionId: string; credentialJson: unknown } & KeyNaming;

/** Stores a verified key. Call it in a transaction. Returns false if any user has registered it already. */
export async function addKey(
  { store, clock }: { store: Store; clock: Clock },
  { userId, key, name, firstNames }: { userId: string; key: RegisteredKey } & KeyNaming,
): Promise<boolean> {
  const taken = (await listWebauthnCredentials(store, userId)).map(({ name }) => name);
  const chosen = name || defaultName(key, taken, firstNames);
  return addWebauthnCredential(store, { ...key, userId, name: chosen, createdAt: clock.now() });
}

function defaultName(key: RegisteredKey, taken: readonly string[], names: DefaultKeyNames): string {
  if (key.isPasskey) return defaultPasskeyName(key.aaguid ?? null, taken, names);
  return defaultKeyName(key.transports ?? [], taken, names);
}

/**
 * Verifies a registration: challenge, origin, relying party, user presence, no frame, algorithm and curve, consistent
 * backup flags, and attestation signature; of a passkey, user verification too. Accepts every attestation of a known
 * format with a valid signature, and `none`: root certificates are not validated, because we keep no list of
 * manufacturers. Returns null if invalid.
 * https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential
 */
export async function verifyRegistration(input: {
  response: RegistrationResponse;
  expectedChallenge: string;
  relyingParty: RelyingParty;
  kind?: KeyKind;
}): Promise<RegisteredKey | null> {
  const { response, relyingParty, kind = "security key" } = input;
  const isPasskey = kind === "passkey";
  if (!isTopLevel(response.response.clientDataJSON) || !hasKnownFormat(response)) return null;
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {} },
      expectedChallenge: input.expectedChallenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: isPasskey,
      supportedAlgorithmIDs: isPasskey ? [...PASSKEY_ALGORITHMS] : [...ALGORITHMS],
    });
    return registrationInfo ? toKey(registrationInfo, { response, relyingParty, isPasskey }) : null;
  } catch {
    // The library throws on invalid responses, with any kind of error.
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
  { response, relyingParty, isPasskey }: Verified,
): RegisteredKey | null {
  const algorithm = algorithmOf(credential.publicKey);
  // The library does not check `response.id`.
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
    isPasskey,
  };
}

type Verified = { response: RegistrationResponse; relyingParty: RelyingParty; isPasskey: boolean };

type RegistrationInfo = NonNullable<VerifiedRegistrationResponse["registrationInfo"]>;
