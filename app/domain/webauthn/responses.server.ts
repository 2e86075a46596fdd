import { decodeClientDataJSON } from "@simplewebauthn/server/helpers";
import { z } from "zod";

/** Longest credential id: 1,023 bytes (WebAuthn Level 3, 7.1), in base64url. */
const CREDENTIAL_ID_LENGTH = 1364;

const credentialId = base64url(CREDENTIAL_ID_LENGTH);
const clientDataJSON = base64url(8_192);

/** Known transports. Others are ignored. */
const TRANSPORTS: readonly string[] = ["usb", "nfc", "ble", "smart-card", "hybrid", "internal"];

const registrationSchema = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON,
    attestationObject: base64url(32_768),
    transports: z
      .array(z.string())
      .default([])
      .transform((named) => TRANSPORTS.filter((transport) => named.includes(transport))),
  }),
});

const assertionSchema = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON,
    authenticatorData: base64url(4_096),
    signature: base64url(1_024),
    // 1 to 64 bytes; keys that store no user handle send none, or an empty one.
    userHandle: z
      .string()
      .regex(/^[\w-]{0,86}$/)
      .nullish(),
  }),
});

/** A registration response of valid form and size, not verified. */
export type RegistrationResponse = z.output<typeof registrationSchema>;

/** An assertion response of valid form and size, not verified. */
export type AssertionResponse = z.output<typeof assertionSchema>;

/** Parses a registration response from JSON. Returns null if malformed. */
export function readRegistration(credentialJson: unknown): RegistrationResponse | null {
  return registrationSchema.safeParse(parseJson(credentialJson)).data ?? null;
}

/** Parses an assertion response. Returns null if malformed. */
export function readAssertion(assertion: unknown): AssertionResponse | null {
  return assertionSchema.safeParse(assertion).data ?? null;
}

function parseJson(text: unknown): unknown {
  if (typeof text !== "string") return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function base64url(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .regex(/^[\w-]+$/);
}

/**
 * Our pages are never framed: responses from frames are refused.
 * https://www.w3.org/TR/webauthn-3/#dictionary-client-data
 */
const topLevelSchema = z.object({ crossOrigin: z.literal(false).optional(), topOrigin: z.undefined().optional() });

/**
 * Returns true if the ceremony ran in a top-level page: `crossOrigin` is false or absent, `topOrigin` is absent.
 * Returns false for malformed client data. Does not check type, challenge and origin.
 */
export function isTopLevel(clientDataJSON: string): boolean {
  try {
    return topLevelSchema.safeParse(decodeClientDataJSON(clientDataJSON)).success;
  } catch {
    return false;
  }
}
