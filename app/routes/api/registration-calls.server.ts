import { z } from "zod";
import { assertNever } from "#app/domain/base/assert-never.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { completeRegistration } from "#app/domain/registration/complete.server.ts";
import { redeemRegistration } from "#app/domain/registration/redeem.server.ts";
import { errorResponse, jsonResponse, methodNotAllowed } from "#app/http/json-call.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { readClientCall } from "./client-authentication.server.ts";
import type { DocumentedCall } from "./documented-call.ts";
import { type CallRequest, findCall } from "./find-call.ts";

/** Base URL of the registration calls. */
export const REGISTRATION_API = "/api/v1/rpc/registration";

/** A call of a client that registers users. */
type RegistrationCall<S extends z.ZodType = z.ZodType> = DocumentedCall & {
  schema: S;
  handle(input: { context: LoadContext; clientId: string; body: z.output<S> }): Promise<Response>;
};

/** Infers the type of the body from the schema. */
function registrationCall<S extends z.ZodType>(call: RegistrationCall<S>): RegistrationCall<S> {
  return call;
}

/** Fields of an account that can be invalid, by their names in the domain. */
const ACCOUNT_FIELDS = {
  displayName: "display_name",
  givenName: "given_name",
  familyName: "family_name",
  email: "email",
  picture: "picture",
  address: "address",
} as const;

/** The calls of a client that registers users, by operation id. */
export const REGISTRATION_CALLS = {
  redeemRegistration: registrationCall({
    method: "POST",
    path: "redeem",
    summary: "Redeems a registration_token, which is single-use",
    schema: z.object({ registration_token: z.string().max(200) }),
    response: z.strictObject({
      hints: z
        .record(z.string(), z.string())
        .describe("The registration hints of the user, limited to the keys registered for the client"),
      verified: z.array(z.string()).describe("The keys of the hints that an external provider has verified"),
      registration_id: z.string().describe("For the call `complete`, within 60 minutes"),
    }),
    refusals: { 400: ["registration not found"] },
    async handle({ context, clientId, body }) {
      const { address, requestId } = context;
      const input = { registrationToken: body.registration_token, clientId, address, requestId };
      const outcome = await redeemRegistration(context, input);
      if (outcome.kind === "not found") return errorResponse(400, "registration not found");
      const hints = Object.fromEntries(outcome.hints.map(({ key, value }) => [key, value]));
      // Hints of the client are not verified; claims of an external provider may be.
      return jsonResponse({ hints, verified: outcome.verified, registration_id: outcome.registrationId });
    },
  }),
  completeRegistration: registrationCall({
    method: "POST",
    path: "complete",
    summary:
      "Creates the account, in the default groups, and sends its owner a link to choose a password; other members are ignored",
    schema: z.object({
      registration_id: z.string().max(200),
      username: z.string(),
      display_name: z.string(),
      given_name: z.string().nullish(),
      family_name: z.string().nullish(),
      email: z.string(),
      picture: z.string().nullish().describe("An https URL"),
      address: z
        .record(z.string(), z.string())
        .nullish()
        .describe("Members of the address claim, OpenID Connect Core 1.0 section 5.1.1"),
    }),
    response: z.strictObject({
      user_id: z.string(),
      callback_url: z.url().describe("Send the user's browser there within 60 minutes; the sign-in continues"),
    }),
    refusals: {
      400: ["registration not found", "username is empty", "username is invalid", "user is invalid"],
      409: ["username not available"],
      429: ["throttled"],
    },
    details: { "user is invalid": z.strictObject({ fields: z.array(z.enum(ACCOUNT_FIELDS)) }) },
    async handle({ context, clientId, body }) {
      const { address, requestId } = context;
      const { username, display_name: displayName, email, picture = null, address: postal = null } = body;
      const { given_name: givenName = null, family_name: familyName = null } = body;
      const account = { username, displayName, givenName, familyName, email, picture, address: postal };
      const input = { registrationId: body.registration_id, account, clientId, address, requestId };
      const outcome = await completeRegistration(context, input);
      switch (outcome.kind) {
        case "completed":
          return jsonResponse({ user_id: outcome.userId, callback_url: outcome.callbackUrl });
        case "not found":
          return errorResponse(400, "registration not found");
        case "refused":
          return refuseAccount(outcome);
        case "throttled":
          return errorResponse(429, "throttled", { headers: { "Retry-After": String(outcome.retryAfterSeconds) } });
        default:
          return assertNever(outcome);
      }
    },
  }),
};

function refuseAccount({ code, fields }: { code: ErrorCode; fields: readonly string[] }): Response {
  if (code !== "user is invalid") return errorResponse(code === "username not available" ? 409 : 400, code);
  const invalid = Object.entries(ACCOUNT_FIELDS).flatMap(([field, name]) => (fields.includes(field) ? [name] : []));
  return errorResponse(400, code, { details: { fields: invalid } });
}

/** Responds to a call of a client; see readClientCall for the errors of all calls. */
export async function respondToRegistrationCall({ context, request, path }: CallRequest): Promise<Response> {
  const calls: readonly RegistrationCall[] = Object.values(REGISTRATION_CALLS);
  const found = findCall(calls, { path, method: request.method });
  if (!found) throw methodNotAllowed();
  const { clientId, body } = await readClientCall(context, request, found.call.schema);
  return found.call.handle({ context, clientId, body });
}
