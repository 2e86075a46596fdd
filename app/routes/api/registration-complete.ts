import type { ActionFunctionArgs } from "@remix-run/node";
import { assertNever } from "#app/domain/assert-never.ts";
import { completeRegistration } from "#app/domain/registration/complete.server.ts";
import { answerError, answerJson, refuseReading } from "#app/http/json-call.server.ts";
import { REGISTRATION_CALLS } from "#app/http/registration-calls.ts";
import { readClientCall } from "./client-call.server.ts";

export const loader = refuseReading;

/** Makes the account that an application has registered a person for. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { clientId, body } = await readClientCall(context, request, REGISTRATION_CALLS.completeRegistration.schema);
  const {
    registration_id: registrationId,
    username,
    display_name: displayName,
    email,
    picture,
    address: postal,
  } = body;
  const { address, requestId } = context;
  const account = { username, displayName, email, picture: picture ?? null, address: postal ?? null };
  const outcome = await completeRegistration(context, { registrationId, account, clientId, address, requestId });
  switch (outcome.kind) {
    case "completed":
      context.mail.wake();
      return answerJson({ user_id: outcome.userId, callback_url: outcome.callbackUrl });
    case "not found":
      return answerError(400, "registration not found");
    case "refused":
      return answerError(outcome.code === "username not available" ? 409 : 400, outcome.code);
    case "throttled": {
      const headers = { "Retry-After": String(outcome.retryAfterSeconds) };
      return answerError(429, "throttled", { headers });
    }
    default:
      return assertNever(outcome);
  }
}
