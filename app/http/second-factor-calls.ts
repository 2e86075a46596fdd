import { z } from "zod";
import { type DocumentedCall, NO_PAYLOAD } from "./documented-call.ts";
import { MANAGE_CALLS } from "./settings-calls.ts";

const TOKEN = z.strictObject({
  token: z.string().describe("The next mfa_token, which the form of the page posts to /mfa/verify"),
});

const codePayload = z.object({ code: z.string().max(200) });

const base64url = z.base64url();

/** The refusals of a set-up during a sign-in. */
const SET_UP_REFUSED = ["factor already registered", "reauthentication_required"] as const;

const REFUSED_CODE = z.strictObject({
  reason: z.enum(["malformed", "wrong", "used"]),
  clockOffSeconds: z
    .int()
    .nullable()
    .optional()
    .describe("How far the device's clock is ahead, once two codes showed it; left out for a malformed code"),
});

/** The JSON calls of the second-factor step, below /mfa. */
export const SECOND_FACTOR_CALLS = {
  mfaVerifyTotp: {
    method: "POST",
    path: "verify-totp",
    summary: "Checks a code of the authenticator app, or a recovery code",
    schema: codePayload,
    answer: TOKEN,
    refusals: { 400: ["invalid verification code"], 429: ["throttled"] },
    details: { "invalid verification code": REFUSED_CODE },
  },
  mfaInitFido2: {
    method: "POST",
    path: "init-fido2",
    summary: "Starts the check of a registered security key",
    schema: NO_PAYLOAD,
    answer: z.strictObject({
      relyingPartyId: z.string(),
      challenge: base64url,
      allowedCredentialIds: z.array(base64url),
      sessionId: z.string(),
    }),
    refusals: { 400: ["security key not found"], 429: ["throttled"] },
  },
  mfaVerifyFido2: {
    method: "POST",
    path: "verify-fido2",
    summary: "Checks the assertion of a security key",
    // Every object is accepted here: checking the assertion uses up the challenge, whatever the object contains.
    schema: z
      .record(z.string(), z.unknown())
      .describe("AuthenticationResponseJSON of WebAuthn Level 3, with id, rawId, type and response"),
    answer: TOKEN,
    refusals: { 400: ["security key not found", "security key refused"], 429: ["throttled"] },
    details: {
      "security key not found": z.strictObject({ reason: z.literal("unknown key") }),
      "security key refused": z.strictObject({ reason: z.enum(["verification", "counter"]) }),
    },
  },
  mfaInitTotp: {
    method: "POST",
    path: "init-totp",
    summary: "Starts the set-up of an authenticator app during a sign-in",
    schema: NO_PAYLOAD,
    answer: MANAGE_CALLS.initTotp.answer,
    refusals: { 403: SET_UP_REFUSED },
  },
  mfaSetupTotp: {
    method: "POST",
    path: "setup-totp",
    summary: "Ends the set-up of an authenticator app with its first code",
    schema: codePayload,
    answer: TOKEN,
    refusals: { 400: ["invalid verification code", "totp not found"], 403: SET_UP_REFUSED, 429: ["throttled"] },
    details: { "invalid verification code": REFUSED_CODE },
  },
  mfaInitFido2Registration: {
    method: "POST",
    path: "init-fido2-registration",
    summary: "Starts the registration of a security key during a sign-in",
    schema: NO_PAYLOAD,
    answer: MANAGE_CALLS.initFido2.answer,
    refusals: { 400: ["security key refused"], 403: SET_UP_REFUSED },
    details: MANAGE_CALLS.initFido2.details,
  },
  mfaSetupFido2: {
    method: "POST",
    path: "setup-fido2",
    summary: "Registers a security key with the credential that the browser created",
    schema: MANAGE_CALLS.verifyFido2.schema,
    answer: TOKEN,
    refusals: { 400: ["security key refused"], 403: SET_UP_REFUSED, 429: ["throttled"] },
    details: MANAGE_CALLS.verifyFido2.details,
  },
} as const satisfies Record<string, DocumentedCall>;
