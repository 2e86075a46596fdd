/** How long the browser lets a person touch a new key. */
export const REGISTRATION_TIMEOUT_MS = 60_000;

/** How long the browser lets a person touch a registered key. */
export const ASSERTION_TIMEOUT_MS = 30_000;

/** COSE algorithms that keys may sign with: ES256, ES384, ES512. https://www.iana.org/assignments/cose */
export const ALGORITHMS = [-7, -35, -36] as const;

/** What a registration starts with, as it stands on the wire: `userId` is base64, all else of it base64url. */
export type StartedRegistration = {
  relyingPartyId: string;
  userId: string;
  challenge: string;
  existingCredentialIds: string[];
  sessionId: string;
  user: RegisteringUser;
};

/**
 * The user of a registration, under the names of SPEC.md section 3. `icon` is a URL: WebAuthn Level 2 dropped it and
 * browsers ignore it, but applications that make the call themselves may show it.
 */
export type RegisteringUser = { username: string; displayName: string; base64EncodedUserId: string; icon: string };

/** What the check of a registered key starts with, as it stands on the wire. */
export type StartedAssertion = {
  relyingPartyId: string;
  challenge: string;
  allowedCredentialIds: string[];
  sessionId: string;
};

/**
 * The options of navigator.credentials.create in their JSON form, all binary values base64url without padding:
 * a roaming key as second factor, so nothing resident, no PIN asked, and not one that the user already has.
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
 * The options of navigator.credentials.get in their JSON form.
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

function toDescriptor(id: string) {
  return { type: "public-key" as const, id };
}

function toBase64url(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
