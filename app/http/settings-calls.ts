import { z } from "zod";
import { type DocumentedCall, NO_PAYLOAD } from "./documented-call.ts";

/** Where all calls of the settings' API are. */
export const MANAGE_API = "/api/v1/rpc/user/manage";

/** How an application opens the settings: the form it posts to `MANAGE_API/token` with its own secret, and the answer. */
export const OPENING_CALL = {
  schema: z.object({
    access_token: z.string().min(1).max(2_000).describe("Of the person; the application's own, with the scope openid"),
    return_to_url: z
      .string()
      .max(2_000)
      .optional()
      .describe("One of the addresses registered for it, letter by letter"),
  }),
  answer: z.strictObject({
    url: z.url().describe("Opens the settings once; its parameter `t` is also the bearer token of a first call"),
    expires_in: z.int().positive().describe("Seconds until then"),
  }),
};

const NOTHING = z.strictObject({});

const account = z.strictObject({ id: z.string(), name: z.string().optional() });

const base64 = z.base64();
const base64url = z.base64url();

const SENSITIVE = { isSensitive: true } as const;
const HARMLESS = { isSensitive: false, refusals: {} } as const;

/** A call of the settings. */
export type ManageCall = DocumentedCall & {
  /** Whether the last proof of identity must not be older than ten minutes. */
  isSensitive: boolean;
};

export const MANAGE_CALLS = {
  userinfo: {
    ...HARMLESS,
    method: "GET",
    path: "userinfo",
    summary: "Who is in the settings",
    schema: NO_PAYLOAD,
    answer: z.strictObject({
      user_id: z.string(),
      display_name: z.string(),
      picture: z.url().nullable(),
      return_to_url: z.url().nullable(),
    }),
  },
  factors: {
    ...HARMLESS,
    method: "GET",
    path: "mfa-registration-status",
    summary: "Which second factors the person has",
    schema: NO_PAYLOAD,
    answer: z.strictObject({
      totp_registered: z.boolean(),
      count_registered_fido2_devices: z.int().nonnegative(),
    }),
  },
  initTotp: {
    ...SENSITIVE,
    method: "POST",
    path: "mfa-init-totp",
    summary: "Begins to set up an authenticator app",
    schema: NO_PAYLOAD,
    answer: z.strictObject({
      qr_code: base64.describe("A PNG with the QR code for the app"),
      secret: z.string().describe("The same for typing: base32, without padding"),
    }),
    refusals: { 409: ["totp already registered"] },
  },
  verifyTotp: {
    ...SENSITIVE,
    method: "POST",
    path: "mfa-verify-totp",
    summary: "Ends the set-up of an authenticator app with its first code",
    schema: z.object({ code: z.string().max(200).default("") }),
    answer: NOTHING,
    refusals: {
      400: ["invalid verification code", "totp not found"],
      409: ["totp already registered"],
      429: ["throttled"],
    },
    details: {
      "invalid verification code": z.strictObject({
        reason: z.enum(["malformed", "wrong", "used"]),
        clockOffSeconds: z.int().nullable().describe("How far the device's clock is ahead, once two codes said so"),
      }),
    },
  },
  initFido2: {
    ...SENSITIVE,
    method: "POST",
    path: "mfa-init-fido2",
    summary: "Begins to register a security key",
    schema: NO_PAYLOAD,
    answer: z.strictObject({
      relyingPartyId: z.string(),
      userId: base64,
      challenge: base64url,
      existingCredentialIds: z.array(base64url),
      sessionId: z.string(),
      user: z.strictObject({
        username: z.string(),
        displayName: z.string(),
        base64EncodedUserId: base64,
        icon: z.url().describe("The user's picture, or the product's icon"),
      }),
    }),
    refusals: { 400: ["security key refused"] },
    details: { "security key refused": z.strictObject({ reason: z.literal("unavailable") }) },
  },
  verifyFido2: {
    ...SENSITIVE,
    method: "POST",
    path: "mfa-verify-fido2",
    summary: "Registers the security key that answered",
    schema: z.object({
      sessionId: z.string().max(200),
      credentialJson: z.string().describe("The credential that the browser made, as JSON text"),
      name: z.string().trim().max(64).optional().describe("What the person calls the key"),
    }),
    answer: NOTHING,
    refusals: { 400: ["security key refused"], 429: ["throttled"] },
    details: { "security key refused": z.strictObject({ reason: z.enum(["verification", "taken"]) }) },
  },
  changePassword: {
    ...SENSITIVE,
    method: "PUT",
    path: "password",
    summary: "Gives the person another password; their other sessions end",
    schema: z.object({
      password: z.string().default("").describe("The password of now"),
      newPassword: z.string().default(""),
      newPasswordRepeat: z.string().default(""),
    }),
    answer: NOTHING,
    refusals: {
      400: [
        "No password given",
        "Current password invalid",
        "password-unchanged",
        "empty-password",
        "empty-password-repeat",
        "passwords-not-equal",
        "password-strength",
        "password-common",
      ],
      429: ["throttled"],
    },
  },
  username: {
    ...HARMLESS,
    method: "GET",
    path: "username",
    summary: "The person's user name",
    schema: NO_PAYLOAD,
    answer: z.strictObject({ username: z.string() }),
  },
  changeUsername: {
    ...SENSITIVE,
    method: "PUT",
    path: "username",
    summary: "Gives the person another user name; their other sessions end",
    schema: z.object({ username: z.string().default("") }),
    answer: NOTHING,
    refusals: {
      400: ["username is empty", "username is invalid"],
      409: ["username not available"],
      429: ["throttled"],
    },
  },
  accounts: {
    ...HARMLESS,
    method: "GET",
    path: "oauth/accounts",
    summary: "The person's accounts at other providers; one that is not connected is left out",
    schema: NO_PAYLOAD,
    answer: z.strictObject({
      google: account.optional(),
      microsoft: account.optional(),
      apple: account.optional(),
    }),
  },
  disconnect: {
    ...SENSITIVE,
    method: "DELETE",
    path: "oauth/{provider}",
    summary: "Disconnects the account at a provider: google, microsoft or apple",
    schema: NO_PAYLOAD,
    answer: NOTHING,
    refusals: { 400: ["account not connected", "last sign-in method"], 404: ["page_not_found"] },
  },
  connectUrl: {
    ...SENSITIVE,
    method: "POST",
    path: "oauth/connect-url/{provider}",
    summary:
      "Begins to connect an account at a provider; needs the cookie that names the browser, which goes on to the url",
    schema: z.object({
      returnToUrl: z
        .string()
        .max(2_000)
        .nullable()
        .default(null)
        .describe("A page of the settings, or an address registered for the application that opened them"),
    }),
    answer: z.strictObject({ url: z.url() }),
    refusals: { 400: ["bad request"], 404: ["page_not_found"], 503: ["provider failed"] },
  },
} as const satisfies Record<string, ManageCall>;
