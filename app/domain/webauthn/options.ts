import { MINUTE_MS } from "#app/durations.ts";

/** Timeout of a registration in the browser. */
export const REGISTRATION_TIMEOUT_MS = MINUTE_MS;

/** Timeout of an assertion in the browser. */
export const ASSERTION_TIMEOUT_MS = 30_000;

/** Timeout of a sign-in by passkey in the browser: time to find a phone and to scan a code with it. */
export const PASSKEY_TIMEOUT_MS = 5 * MINUTE_MS;

/** COSE algorithms of keys: ES256, ES384, ES512. https://www.iana.org/assignments/cose */
export const ALGORITHMS = [-7, -35, -36] as const;

/** JSON of a started registration. `userId` is base64, `challenge` and the other ids are base64url. */
export type StartedRegistration = {
  relyingPartyId: string;
  userId: string;
  challenge: string;
  existingCredentialIds: string[];
  sessionId: string;
  user: RegisteringUser;
};

/**
 * The user of a registration, under the names of section 3 of the specification. `icon` is a URL: WebAuthn Level 2 dropped it and
 * browsers ignore it, but applications that make the call themselves may show it.
 */
type RegisteringUser = { username: string; displayName: string; base64EncodedUserId: string; icon: string };

/** JSON of a started assertion. */
export type StartedAssertion = {
  relyingPartyId: string;
  challenge: string;
  allowedCredentialIds: string[];
  sessionId: string;
};

/**
 * Returns the JSON options of navigator.credentials.create, binary values in base64url without padding: a roaming key
 * as second factor, not discoverable, without PIN, and not registered by the user yet.
 * https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptionsjson
 */
export function creationOptions({ user, ...started }: StartedRegistration, productName: string) {
  const { username: name, displayName, icon } = user;
  return {
    rp: { id: started.relyingPartyId, name: productName },
    user: { id: toBase64url(user.base64EncodedUserId), name, displayName, icon },
    challenge: started.challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key" as const, alg })),
    timeout: REGISTRATION_TIMEOUT_MS,
    excludeCredentials: started.existingCredentialIds.map(toDescriptor),
    authenticatorSelection: {
      authenticatorAttachment: "cross-platform" as const,
      residentKey: "discouraged" as const,
      requireResidentKey: false,
      userVerification: "discouraged" as const,
    },
    attestation: "direct" as const,
  };
}

/**
 * Returns the JSON options of navigator.credentials.get.
 * https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialrequestoptionsjson
 */
export function requestOptions(started: StartedAssertion) {
  return {
    rpId: started.relyingPartyId,
    challenge: started.challenge,
    timeout: ASSERTION_TIMEOUT_MS,
    allowCredentials: started.allowedCredentialIds.map(toDescriptor),
    userVerification: "discouraged" as const,
  };
}

/** A started sign-in by passkey. `challenge` is base64url. */
export type StartedPasskey = { relyingPartyId: string; challenge: string };

/**
 * Returns the JSON options of navigator.credentials.get for a sign-in by passkey: by any discoverable credential, so that
 * the page names none, with user verification.
 */
export function passkeyRequestOptions({ relyingPartyId: rpId, challenge }: StartedPasskey) {
  return { rpId, challenge, timeout: PASSKEY_TIMEOUT_MS, allowCredentials: [], userVerification: "required" as const };
}

function toDescriptor(id: string) {
  return { type: "public-key" as const, id };
}

function toBase64url(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
