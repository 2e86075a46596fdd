import { MINUTE_MS } from "#app/durations.ts";
import { ALGORITHMS, type StartedRegistration } from "./options.ts";

/** Timeout of the registration of a passkey in the browser: its dialog may ask for a PIN, or for a phone nearby. */
export const PASSKEY_REGISTRATION_TIMEOUT_MS = 3 * MINUTE_MS;

/** Days for which the offer to set up a passkey is not shown after "Not now". */
export const OFFER_PAUSE_DAYS = 90;

/**
 * COSE algorithms of passkeys: those of security keys and RS256, which Windows Hello uses on older computers.
 * https://www.iana.org/assignments/cose
 */
export const PASSKEY_ALGORITHMS = [...ALGORITHMS, -257] as const;

/** Authenticators in the order in which the browser should offer them (WebAuthn Level 3 §5.8.7). */
const HINTS = ["client-device", "hybrid", "security-key"] as const;

/**
 * Returns the JSON options of navigator.credentials.create for a passkey, binary values in base64url without padding: a
 * discoverable credential that verifies its user, in this device or another one, without an attestation.
 * https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptionsjson
 */
export function passkeyOptions({ user, ...started }: StartedRegistration, productName: string) {
  return {
    rp: { id: started.relyingPartyId, name: productName },
    user: { id: toBase64url(started.userId), name: user.username, displayName: user.displayName },
    challenge: started.challenge,
    pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: "public-key" as const, alg })),
    timeout: PASSKEY_REGISTRATION_TIMEOUT_MS,
    excludeCredentials: started.existingCredentialIds.map((id) => ({ type: "public-key" as const, id })),
    authenticatorSelection: {
      residentKey: "required" as const,
      requireResidentKey: true,
      userVerification: "required" as const,
    },
    hints: [...HINTS],
    attestation: "none" as const,
  };
}

function toBase64url(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
