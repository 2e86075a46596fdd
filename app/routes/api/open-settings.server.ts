import { z } from "zod";
import { openForClient } from "#app/domain/account/open-for-client.server.ts";
import { assertNever } from "#app/domain/base/assert-never.ts";
import { errorResponse, jsonResponse } from "#app/http/json-call.server.ts";
import { findSessionOfToken } from "#app/oidc/session.server.ts";
import { readClientForm } from "./client-authentication.server.ts";
import type { CallRequest } from "./find-call.ts";

/** The call with which a client opens the settings: the form that it posts with its secret, and the response. */
export const OPENING_CALL = {
  schema: z.object({
    access_token: z
      .string()
      .min(1)
      .max(2_000)
      .describe("Access token of the user, issued to this client, with the scope openid"),
    return_to_url: z
      .string()
      .max(2_000)
      .optional()
      .describe("One of the return URLs registered for the client, compared exactly"),
  }),
  response: z.strictObject({
    url: z.url().describe("Opens the settings, once; its parameter `t` is also the bearer token of a first call"),
    expires_in: z.int().positive().describe("Lifetime of the URL in seconds"),
  }),
};

/** Issues a single-use URL that opens the settings of the user whose access token the client sent. */
export async function openSettings({ context, request }: CallRequest): Promise<Response> {
  const { clientId, form } = await readClientForm(context, request, OPENING_CALL.schema);
  const session = await findSessionOfToken(context, { accessToken: form.access_token, clientId });
  const { address, requestId } = context;
  const returnToUrl = form.return_to_url ?? null;
  const outcome = await openForClient(context, { session, clientId, returnToUrl, address, requestId });
  switch (outcome.kind) {
    case "opened":
      return jsonResponse({ url: outcome.url, expires_in: outcome.expiresInSeconds });
    case "refused":
      return errorResponse(403, "unauthorized");
    case "return url refused":
      return errorResponse(400, "redirect uri is invalid");
    default:
      return assertNever(outcome);
  }
}
