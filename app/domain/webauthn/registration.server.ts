import { createPublicKey } from "node:crypto";
import { type VerifiedRegistrationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { cose, decodeAttestationObject, decodeCredentialPublicKey, isoBase64URL } from "@simplewebauthn/server/helpers";
import { findUser } from "#app/db/repositories/users.server.ts";
import {
  addWebauthnCredential,
  listWebauthnCredentials,
  type NewWebauthnCredential,
} from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock, Random } from "#app/ports.ts";
import { beginCeremony, type CeremonyOwner, consumeCeremony } from "./ceremony.server.ts";
import { type DefaultKeyNames, defaultKeyName } from "./key-name.ts";
import { ALGORITHMS, type StartedRegistration } from "./options.ts";
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

/** A verified, but not yet stored key. */
export type RegisteredKey = Omit<NewWebauthnCredential, "userId" | "name" | "createdAt">;

/**
 * Starts the registration of a security key. Excludes the keys that the user already has. Returns null if the issuer's
 * host is an IP address or the user was removed.
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
  { owner, sessionId, credentialJson }: { owner: CeremonyOwner; sessionId: string; credentialJson: unknown },
): Promise<RegisteredKey | null> {
  const relyingParty = findRelyingParty(context.config.issuer);
  const expectedChallenge = await consumeCeremony(context, "webauthn-registration", { sessionId, owner });
  const response = readRegistration(credentialJson);
  if (!relyingParty || !expectedChallenge || !response) return null;
  return verifyRegistration({ response, expectedChallenge, relyingParty });
}

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
  const chosen = name || defaultKeyName(key.transports ?? [], taken, firstNames);
  return addWebauthnCredential(store, { ...key, userId, name: chosen, createdAt: clock.now() });
}

/**
 * Verifies a registration: challenge, origin, relying party, user presence, no frame, algorithm and curve, consistent
 * backup flags, and attestation signature. Accepts every attestation of a known format with a valid signature, and
 * `none`: root certificates are not validated, because we keep no list of manufacturers. Returns null if invalid.
 * https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential
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
  { response, relyingParty }: { response: RegistrationResponse; relyingParty: RelyingParty },
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
  };
}

type RegistrationInfo = NonNullable<VerifiedRegistrationResponse["registrationInfo"]>;

type Algorithm = (typeof ALGORITHMS)[number];

/** Each algorithm has one curve (https://www.w3.org/TR/webauthn-3/#sctn-alg-identifier). */
const CURVES: ReadonlyMap<unknown, { alg: Algorithm; crv: number; name: string }> = new Map([
  [-7, { alg: -7, crv: 1, name: "P-256" }],
  [-35, { alg: -35, crv: 2, name: "P-384" }],
  [-36, { alg: -36, crv: 3, name: "P-521" }],
]);

/**
 * Returns the COSE algorithm of a credential public key (COSE_Key, RFC 9052). Returns null if the algorithm is not
 * supported, the curve does not match it, or the point is not on the curve. A registration without attestation contains
 * no signature, so that such a key would fail only at sign-in.
 */
export function algorithmOf(publicKey: Uint8Array<ArrayBuffer>): Algorithm | null {
  const key = decodeCredentialPublicKey(publicKey);
  if (!cose.isCOSEPublicKeyEC2(key)) return null;
  const curve = CURVES.get(key.get(cose.COSEKEYS.alg));
  const x = key.get(cose.COSEKEYS.x);
  const y = key.get(cose.COSEKEYS.y);
  if (!curve || key.get(cose.COSEKEYS.crv) !== curve.crv || !x || !y) return null;
  return isOnCurve(curve.name, x, y) ? curve.alg : null;
}

function isOnCurve(crv: string, x: Uint8Array, y: Uint8Array): boolean {
  try {
    createPublicKey({ key: { kty: "EC", crv, x: base64url(x), y: base64url(y) }, format: "jwk" });
    return true;
  } catch {
    return false;
  }
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
