import { z } from "zod";
import { assertNever } from "#app/domain/base/assert-never.ts";
import { finishKeySetUp, type KeySetUp, startKeySetUp } from "#app/domain/second-factor/key-set-up.server.ts";
import { finishTotpSetUp, startTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import { type CodeResult, verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { type KeyCheck, startKeyCheck, verifyKey } from "#app/domain/second-factor/verify-key.server.ts";
import { firstKeyNames } from "#app/http/first-key-names.ts";
import { errorResponse, jsonResponse, methodNotAllowed, readJsonCall } from "#app/http/json-call.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { drawQrCode } from "#app/http/qr-code.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { type DocumentedCall, NO_PAYLOAD } from "./documented-call.ts";
import { type CallRequest, findCall } from "./find-call.ts";
import { SETTINGS_CALLS } from "./settings-calls.server.ts";

/** Base URL of the calls of the second-factor pages. */
export const SECOND_FACTOR_API = "/mfa";

/** A call of the second-factor pages. `mfaToken`: the bearer token, unchecked. */
type SecondFactorCall<S extends z.ZodType = z.ZodType> = DocumentedCall & {
  schema: S;
  handle(input: { context: LoadContext; request: Request; mfaToken: string; body: z.output<S> }): Promise<Response>;
};

/** Infers the type of the body from the schema. */
function secondFactorCall<S extends z.ZodType>(call: SecondFactorCall<S>): SecondFactorCall<S> {
  return call;
}

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
    .describe(
      "Offset of the device's clock in seconds, positive if it is ahead, when two codes have shown it; omitted for a malformed code",
    ),
});

/** The calls of the second-factor pages by operation id. */
export const SECOND_FACTOR_CALLS = {
  mfaVerifyTotp: secondFactorCall({
    method: "POST",
    path: "verify-totp",
    summary: "Checks a code of the authenticator app, or a recovery code",
    schema: codePayload,
    response: TOKEN,
    refusals: { 400: ["invalid verification code", "totp not found"], 429: ["throttled"] },
    details: { "invalid verification code": REFUSED_CODE },
    async handle({ context, mfaToken, body }) {
      const input = { ...requestMetadata(context), mfaToken, code: body.code };
      return respond(await orOverloaded(() => verifyCode(context, input)));
    },
  }),
  mfaInitFido2: secondFactorCall({
    method: "POST",
    path: "init-fido2",
    summary: "Starts the check of a registered security key, or of a passkey in its place",
    schema: NO_PAYLOAD,
    response: z.strictObject({
      relyingPartyId: z.string(),
      challenge: base64url,
      allowedCredentialIds: z.array(base64url),
      sessionId: z.string(),
    }),
    refusals: { 400: ["security key not found"], 429: ["throttled"] },
    async handle({ context, mfaToken }) {
      const outcome = await startKeyCheck(context, { mfaToken, browser: context.browser });
      if (outcome.kind !== "started") return respond(outcome);
      const { kind: _kind, ...started } = outcome;
      return jsonResponse(started);
    },
  }),
  mfaVerifyFido2: secondFactorCall({
    method: "POST",
    path: "verify-fido2",
    summary: "Checks the assertion of a security key, or of a passkey in its place",
    // Every object is accepted here: checking the assertion uses up the challenge, whatever the object contains.
    schema: z
      .record(z.string(), z.unknown())
      .describe("AuthenticationResponseJSON of WebAuthn Level 3, with id, rawId, type and response"),
    response: TOKEN,
    refusals: { 400: ["security key not found", "security key refused"], 429: ["throttled"] },
    details: {
      "security key not found": z.strictObject({ reason: z.literal("unknown key") }),
      "security key refused": z.strictObject({ reason: z.enum(["verification", "counter"]) }),
    },
    async handle({ context, mfaToken, body: assertion }) {
      return respond(await verifyKey(context, { ...requestMetadata(context), mfaToken, assertion }));
    },
  }),
  mfaInitTotp: secondFactorCall({
    method: "POST",
    path: "init-totp",
    summary: "Starts the set-up of an authenticator app during a sign-in",
    schema: NO_PAYLOAD,
    response: SETTINGS_CALLS.initTotp.response,
    refusals: { 403: SET_UP_REFUSED },
    async handle({ context, mfaToken }) {
      const outcome = await startTotpSetUp(context, { mfaToken, browser: context.browser });
      if (outcome.kind !== "started") return respond(outcome);
      return jsonResponse({ qr_code: await drawQrCode(outcome.otpauthUri), secret: outcome.secretBase32 });
    },
  }),
  mfaSetupTotp: secondFactorCall({
    method: "POST",
    path: "setup-totp",
    summary: "Ends the set-up of an authenticator app with its first code",
    schema: codePayload,
    response: TOKEN,
    refusals: { 400: ["invalid verification code", "totp not found"], 403: SET_UP_REFUSED, 429: ["throttled"] },
    details: { "invalid verification code": REFUSED_CODE },
    async handle({ context, mfaToken, body }) {
      return respond(await finishTotpSetUp(context, { ...requestMetadata(context), mfaToken, code: body.code }));
    },
  }),
  mfaInitFido2Registration: secondFactorCall({
    method: "POST",
    path: "init-fido2-registration",
    summary: "Starts the registration of a security key during a sign-in",
    schema: NO_PAYLOAD,
    response: SETTINGS_CALLS.initFido2.response,
    refusals: { 400: ["security key refused"], 403: SET_UP_REFUSED },
    details: SETTINGS_CALLS.initFido2.details,
    async handle({ context, mfaToken }) {
      const outcome = await startKeySetUp(context, { mfaToken, browser: context.browser });
      if (outcome.kind !== "started") return respond(outcome);
      const { kind: _kind, ...started } = outcome;
      return jsonResponse(started);
    },
  }),
  mfaSetupFido2: secondFactorCall({
    method: "POST",
    path: "setup-fido2",
    summary: "Registers a security key with the credential that the browser created",
    schema: SETTINGS_CALLS.verifyFido2.schema,
    response: TOKEN,
    refusals: { 400: ["security key refused"], 403: SET_UP_REFUSED, 429: ["throttled"] },
    details: SETTINGS_CALLS.verifyFido2.details,
    async handle({ context, request, mfaToken, body }) {
      const firstNames = firstKeyNames(await textsOf(context, request));
      return respond(await finishKeySetUp(context, { ...requestMetadata(context), mfaToken, firstNames, ...body }));
    },
  }),
};

/** Responds to a call of the second-factor pages; see readJsonCall for the errors of all calls. */
export async function respondToSecondFactorCall({ context, request, path }: CallRequest): Promise<Response> {
  const calls: readonly SecondFactorCall[] = Object.values(SECOND_FACTOR_CALLS);
  const found = findCall(calls, { path, method: request.method });
  if (!found) throw methodNotAllowed();
  const { bearer: mfaToken, body } = await readJsonCall(context, request, found.call.schema);
  return found.call.handle({ context, request, mfaToken, body });
}

/** Outcomes of all calls. */
type FactorOutcome =
  | CodeResult
  | KeyCheck
  | KeySetUp
  | {
      kind:
        | "totp not found"
        | "factor already registered"
        | "no key"
        | "unavailable"
        | "overloaded"
        | "reauthentication_required";
    };

/**
 * Maps an outcome to `{ token }` with the next mfa_token, or to `{ error }` with `reason` and, for a code,
 * `clockOffSeconds`.
 */
function respond(outcome: FactorOutcome): Response {
  switch (outcome.kind) {
    case "verified":
      return jsonResponse({ token: outcome.mfaToken });
    case "unauthorized":
      return errorResponse(401, "unauthorized");
    case "malformed":
      return errorResponse(400, "invalid verification code", { details: { reason: "malformed" } });
    case "refused":
      return refused(outcome);
    case "throttled": {
      const { retryAfterSeconds } = outcome;
      return errorResponse(429, "throttled", { headers: { "Retry-After": String(retryAfterSeconds) } });
    }
    case "overloaded":
      return errorResponse(503, "overloaded", { headers: OVERLOAD_HEADERS });
    case "totp not found":
      return errorResponse(400, "totp not found");
    case "factor already registered":
      return errorResponse(403, "factor already registered");
    case "reauthentication_required":
      return errorResponse(403, "reauthentication_required");
    case "no key":
      return errorResponse(400, "security key not found");
    case "unavailable":
      return errorResponse(400, "security key refused", { details: { reason: "unavailable" } });
    default:
      return assertNever(outcome);
  }
}

function refused(outcome: Extract<FactorOutcome, { kind: "refused" }>): Response {
  if ("clockOffSeconds" in outcome) {
    const { reason, clockOffSeconds } = outcome;
    return errorResponse(400, "invalid verification code", { details: { reason, clockOffSeconds } });
  }
  const { reason } = outcome;
  return errorResponse(400, reason === "unknown key" ? "security key not found" : "security key refused", {
    details: { reason },
  });
}
