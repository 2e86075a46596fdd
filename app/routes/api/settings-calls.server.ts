import { z } from "zod";
import { isProvider, mapProviders, PROVIDERS } from "#app/config/providers.ts";
import type { Done, NotAllowed, SettingsAccess } from "#app/domain/access/access.ts";
import { advanceChain } from "#app/domain/access/token-chain.server.ts";
import { changePassword } from "#app/domain/account/change-password.server.ts";
import { changeUsername } from "#app/domain/account/change-username.server.ts";
import { findUserInfo } from "#app/domain/account/overview.server.ts";
import { assertNever } from "#app/domain/base/assert-never.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { beginConnect, type ConnectBegun } from "#app/domain/external-account/connect.server.ts";
import { type Disconnection, disconnectProvider } from "#app/domain/external-account/disconnect.server.ts";
import { listExternalAccounts } from "#app/domain/external-account/list.server.ts";
import { findFactors } from "#app/domain/factor/factors.server.ts";
import { finishOwnTotp, type RefusedTotp, startOwnTotp } from "#app/domain/totp/own-totp.server.ts";
import { MAX_KEY_NAME_LENGTH } from "#app/domain/webauthn/key-name.ts";
import {
  type FinishKeyResult,
  finishOwnKey,
  finishOwnPasskey,
  type StartKeyResult,
  startOwnKey,
  startOwnPasskey,
} from "#app/domain/webauthn/own-key-registration.server.ts";
import { firstKeyNames } from "#app/http/first-key-names.ts";
import { errorResponse, jsonResponse, readBearer, readBody } from "#app/http/json-call.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { drawQrCode } from "#app/http/qr-code.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { type DocumentedCall, NO_PAYLOAD } from "./documented-call.ts";
import { allowedMethods, type CallRequest, findCall } from "./find-call.ts";

/** Base URL of the settings API. */
export const SETTINGS_API = "/api/v1/rpc/user/manage";

/** Response header that contains the bearer token of the next call. */
const NEXT_TOKEN_HEADER = "x-api-next-token";

type SettingsCallInput<S extends z.ZodType> = {
  context: LoadContext;
  request: Request;
  access: SettingsAccess;
  body: z.output<S>;
  /** The parameter `provider` of the path. */
  provider: string | undefined;
};

/** A call of the settings API. */
export type SettingsCall<S extends z.ZodType = z.ZodType> = DocumentedCall & {
  /** True when the call requires a proof of identity that is at most ten minutes old. */
  isSensitive: boolean;
  schema: S;
  handle(input: SettingsCallInput<S>): Promise<Response>;
};

/** Infers the type of the body from the schema. */
function settingsCall<S extends z.ZodType>(call: SettingsCall<S>): SettingsCall<S> {
  return call;
}

const NOTHING = z.strictObject({});

const account = z.strictObject({ id: z.string(), name: z.string().optional() });

const providerList = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(PROVIDERS);

const base64 = z.base64();
const base64url = z.base64url();

/** The options of a registration, for a security key and for a passkey. */
const startedRegistration = z.strictObject({
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
});

const SENSITIVE = { isSensitive: true } as const;
const HARMLESS = { isSensitive: false, refusals: {} } as const;

/** The calls of the settings API by operation id. */
export const SETTINGS_CALLS = {
  userinfo: settingsCall({
    ...HARMLESS,
    method: "GET",
    path: "userinfo",
    summary: "Returns the signed-in user",
    schema: NO_PAYLOAD,
    response: z.strictObject({
      user_id: z.string(),
      display_name: z.string(),
      picture: z.url().nullable(),
      return_to_url: z.url().nullable(),
    }),
    async handle({ context, access }) {
      const user = await findUserInfo(context, access);
      if (!user) return respond({ kind: "unauthorized" });
      const { userId, displayName, picture, returnToUrl } = user;
      return jsonResponse({ user_id: userId, display_name: displayName, picture, return_to_url: returnToUrl });
    },
  }),
  factors: settingsCall({
    ...HARMLESS,
    method: "GET",
    path: "mfa-registration-status",
    summary: "Returns the second factors of the user",
    schema: NO_PAYLOAD,
    response: z.strictObject({
      totp_registered: z.boolean(),
      count_registered_fido2_devices: z.int().nonnegative(),
    }),
    async handle({ context, access }) {
      const { totp, securityKeys } = await findFactors(context.store, access.userId);
      return jsonResponse({ totp_registered: totp, count_registered_fido2_devices: securityKeys });
    },
  }),
  initTotp: settingsCall({
    ...SENSITIVE,
    method: "POST",
    path: "mfa-init-totp",
    summary: "Starts the set-up of an authenticator app",
    schema: NO_PAYLOAD,
    response: z.strictObject({
      qr_code: base64.describe("PNG image of the QR code for the app"),
      secret: z.string().describe("The secret as text: base32, without padding"),
    }),
    refusals: { 409: ["totp already registered"] },
    async handle({ context, access }) {
      const outcome = await startOwnTotp(context, access);
      if (outcome.kind !== "started") return respond(outcome);
      return jsonResponse({ qr_code: await drawQrCode(outcome.otpauthUri), secret: outcome.secretBase32 });
    },
  }),
  verifyTotp: settingsCall({
    ...SENSITIVE,
    method: "POST",
    path: "mfa-verify-totp",
    summary: "Ends the set-up of an authenticator app with its first code",
    schema: z.object({ code: z.string().max(200).default("") }),
    response: NOTHING,
    refusals: {
      400: ["invalid verification code", "totp not found"],
      409: ["totp already registered"],
      429: ["throttled"],
    },
    details: {
      "invalid verification code": z.strictObject({
        reason: z.enum(["malformed", "wrong", "used"]),
        clockOffSeconds: z
          .int()
          .nullable()
          .describe("Offset of the device's clock in seconds, positive if it is ahead, when two codes have shown it"),
      }),
    },
    async handle({ context, access, body }) {
      return respond(await finishOwnTotp(context, access, { ...metadata(context), code: body.code }));
    },
  }),
  initFido2: settingsCall({
    ...SENSITIVE,
    method: "POST",
    path: "mfa-init-fido2",
    summary: "Starts the registration of a security key",
    schema: NO_PAYLOAD,
    response: startedRegistration,
    refusals: { 400: ["security key refused"] },
    details: { "security key refused": z.strictObject({ reason: z.literal("unavailable") }) },
    async handle({ context, access }) {
      return respondWithOptions(await startOwnKey(context, access));
    },
  }),
  verifyFido2: settingsCall({
    ...SENSITIVE,
    method: "POST",
    path: "mfa-verify-fido2",
    summary: "Registers a security key with the credential that the browser created",
    schema: z.object({
      sessionId: z.string().max(200),
      credentialJson: z.string().describe("The credential that the browser created, as JSON text"),
      name: z.string().trim().max(MAX_KEY_NAME_LENGTH).optional().describe("Name of the key, chosen by the user"),
    }),
    response: NOTHING,
    refusals: { 400: ["security key refused"], 429: ["throttled"] },
    details: { "security key refused": z.strictObject({ reason: z.enum(["verification", "taken"]) }) },
    async handle({ context, request, access, body }) {
      const firstNames = firstKeyNames((await settingsTexts(context, request)).t);
      return respond(await finishOwnKey(context, access, { ...metadata(context), firstNames, ...body }));
    },
  }),
  initPasskey: settingsCall({
    ...SENSITIVE,
    method: "POST",
    path: "mfa-init-passkey",
    summary: "Starts the registration of a passkey; `unavailable` if PASSKEYS is off",
    schema: NO_PAYLOAD,
    response: startedRegistration,
    refusals: { 400: ["security key refused"] },
    details: { "security key refused": z.strictObject({ reason: z.literal("unavailable") }) },
    async handle({ context, access }) {
      return respondWithOptions(await startOwnPasskey(context, access));
    },
  }),
  verifyPasskey: settingsCall({
    ...SENSITIVE,
    method: "POST",
    path: "mfa-verify-passkey",
    summary: "Registers a passkey with the credential that the browser created, which must have verified the user",
    schema: z.object({
      sessionId: z.string().max(200),
      credentialJson: z.string().describe("The credential that the browser created, as JSON text"),
      name: z.string().trim().max(MAX_KEY_NAME_LENGTH).optional().describe("Name of the passkey, chosen by the user"),
    }),
    response: NOTHING,
    refusals: { 400: ["security key refused"], 429: ["throttled"] },
    details: { "security key refused": z.strictObject({ reason: z.enum(["verification", "taken", "unavailable"]) }) },
    async handle({ context, request, access, body }) {
      const firstNames = firstKeyNames((await settingsTexts(context, request)).t);
      return respond(await finishOwnPasskey(context, access, { ...metadata(context), firstNames, ...body }));
    },
  }),
  changePassword: settingsCall({
    ...SENSITIVE,
    method: "PUT",
    path: "password",
    summary: "Changes the password and ends the user's other sessions",
    schema: z.object({
      password: z.string().default("").describe("The current password"),
      newPassword: z.string().default(""),
      newPasswordRepeat: z.string().default(""),
    }),
    response: NOTHING,
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
    async handle({ context, access, body }) {
      const input = { ...metadata(context), ...body, endOthers: true, isProof: false };
      return respond(await orOverloaded(() => changePassword(context, access, input)));
    },
  }),
  username: settingsCall({
    ...HARMLESS,
    method: "GET",
    path: "username",
    summary: "Returns the user name",
    schema: NO_PAYLOAD,
    response: z.strictObject({ username: z.string() }),
    async handle({ context, access }) {
      const user = await findUserInfo(context, access);
      return user ? jsonResponse({ username: user.username }) : respond({ kind: "unauthorized" });
    },
  }),
  changeUsername: settingsCall({
    ...SENSITIVE,
    method: "PUT",
    path: "username",
    summary: "Changes the user name and ends the user's other sessions",
    schema: z.object({ username: z.string().default("") }),
    response: NOTHING,
    refusals: {
      400: ["username is empty", "username is invalid"],
      409: ["username not available"],
      429: ["throttled"],
    },
    async handle({ context, access, body }) {
      const input = { ...metadata(context), username: body.username };
      return respond(await changeUsername(context, access, input));
    },
  }),
  accounts: settingsCall({
    ...HARMLESS,
    method: "GET",
    path: "oauth/accounts",
    summary: "Returns the user's accounts at external providers; providers without a connected account are omitted",
    schema: NO_PAYLOAD,
    response: z.strictObject(mapProviders(() => account.optional())),
    async handle({ context, access }) {
      return jsonResponse(await listExternalAccounts(context.store, access.userId));
    },
  }),
  disconnect: settingsCall({
    ...SENSITIVE,
    method: "DELETE",
    path: "oauth/{provider}",
    summary: `Disconnects the account at a provider: ${providerList}`,
    schema: NO_PAYLOAD,
    response: NOTHING,
    refusals: { 400: ["account not connected", "last sign-in method"], 404: ["page_not_found"] },
    async handle({ context, access, provider }) {
      if (!isProvider(provider)) return respond({ kind: "page_not_found" });
      return respond(await disconnectProvider(context, access, metadata(context), provider));
    },
  }),
  connectUrl: settingsCall({
    ...SENSITIVE,
    method: "POST",
    path: "oauth/connect-url/{provider}",
    summary:
      "Starts connecting an account at a provider; requires the browser cookie of the browser that is then sent to the url",
    schema: z.object({
      returnToUrl: z
        .string()
        .max(2_000)
        .nullable()
        .default(null)
        .describe("A page of the settings, or a return URL registered for the client that opened them"),
    }),
    response: z.strictObject({ url: z.url() }),
    refusals: { 400: ["bad request"], 404: ["page_not_found"], 503: ["provider failed"] },
    async handle({ context, access, body, provider }) {
      if (!isProvider(provider)) return respond({ kind: "page_not_found" });
      // The attempt belongs to the browser that makes this call; its cookie identifies it.
      const browser = context.hasBrowserCookie ? context.browser : "";
      const input = { provider, returnTo: body.returnToUrl };
      const result = await beginConnect(context, access, { ...metadata(context), browser }, input);
      return result.kind === "away" ? jsonResponse({ url: result.url }) : respond(result);
    },
  }),
};

/**
 * Responds to a call of the settings API. The bearer token is validated and consumed before anything else of the
 * request is read; without a valid token the response is 401 `unauthorized` and the call has no effect. Every other
 * response contains the token of the next call: 405 for another method, 415 for a body that is not JSON, 400 for one
 * that does not match the schema, 500 for a defect. Cookies are ignored, except that `connectUrl` binds its attempt to
 * the browser.
 */
export async function respondToSettingsCall({ context, request, path }: CallRequest): Promise<Response> {
  const bearer = readBearer(request);
  const accepted = bearer === null ? null : await advanceChain(context, bearer);
  if (!accepted) return errorResponse(401, "unauthorized", { headers: { "WWW-Authenticate": "Bearer" } });
  const response = await handle({ context, request, path }, accepted.access);
  response.headers.set(NEXT_TOKEN_HEADER, accepted.nextToken);
  return response;
}

async function handle({ context, request, path }: CallRequest, access: SettingsAccess): Promise<Response> {
  try {
    const calls: readonly SettingsCall[] = Object.values(SETTINGS_CALLS);
    const found = findCall(calls, { path, method: request.method });
    if (!found) return errorResponse(405, "bad request", { headers: { Allow: allowedMethods(calls, path) } });
    const body = await readBody(request, found.call.schema);
    if (body.kind === "refused") return errorResponse(body.status, "Could not parse request");
    return await found.call.handle({ context, request, access, body: body.value, provider: found.params["provider"] });
  } catch (error) {
    if (error instanceof Response) return error;
    logError(context.log, error, { requestId: context.requestId, path: new URL(request.url).pathname });
    return Response.json({ error: "internal" }, { status: 500 });
  }
}

/** Outcomes that map to the same response in all calls. */
type SettingsOutcome =
  | Done
  | NotAllowed
  | FinishKeyResult
  | RefusedTotp
  | { kind: "refused"; code: ErrorCode }
  | { kind: "totp already registered" | "totp not found" | "unavailable" | "overloaded" }
  | Exclude<ConnectBegun, { kind: "away" }>
  | Disconnection;

/** Statuses of error codes; all others have 400. */
const STATUS_OF_CODE: ReadonlyMap<ErrorCode, number> = new Map([
  ["page_not_found", 404],
  ["username not available", 409],
  ["totp already registered", 409],
  ["provider failed", 503],
]);

/** Metadata of a call. Cookies are ignored, so there is no browser. */
function metadata({ address, userAgent, requestId }: LoadContext): RequestMetadata {
  return { browser: "", address, userAgent, requestId };
}

function respondWithOptions(outcome: StartKeyResult): Response {
  if (outcome.kind !== "started") return respond(outcome);
  const { kind: _kind, ...started } = outcome;
  return jsonResponse(started);
}

/** Maps an outcome to `{}`, or to `{ error }` with the details that the error code has. */
function respond(outcome: SettingsOutcome): Response {
  switch (outcome.kind) {
    case "done":
      return jsonResponse({});
    case "unauthorized":
      return errorResponse(401, "unauthorized");
    case "reauthentication_required":
      return errorResponse(403, "reauthentication_required");
    case "throttled": {
      const { retryAfterSeconds } = outcome;
      return errorResponse(429, "throttled", { headers: { "Retry-After": String(retryAfterSeconds) } });
    }
    case "overloaded":
      return errorResponse(503, "overloaded", { headers: OVERLOAD_HEADERS });
    case "refused":
      return refuse(outcome.code);
    case "totp already registered":
    case "totp not found":
    case "page_not_found":
    case "bad request":
    case "provider failed":
    case "account not connected":
    case "last sign-in method":
      return refuse(outcome.kind);
    case "invalid verification code": {
      const { reason, clockOffSeconds } = outcome;
      return refuse(outcome.kind, { reason, clockOffSeconds });
    }
    case "security key refused":
      return refuse(outcome.kind, { reason: outcome.reason });
    case "unavailable":
      return refuse("security key refused", { reason: "unavailable" });
    default:
      return assertNever(outcome);
  }
}

function refuse(code: ErrorCode, details: object = {}): Response {
  return errorResponse(STATUS_OF_CODE.get(code) ?? 400, code, { details });
}
