import type { ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { assertNever } from "#app/domain/assert-never.ts";
import { completeRegistration } from "#app/domain/registration/complete.server.ts";
import { answerError, answerJson, refuseReading } from "#app/http/json-call.server.ts";
import { readClientCall } from "#app/views/client-call.server.ts";

const schema = z.object({
  registration_id: z.string().max(200),
  username: z.string(),
  display_name: z.string(),
  email: z.string(),
  picture: z.string().nullish(),
  address: z.record(z.string(), z.string()).nullish(),
});

export const loader = refuseReading;

/** Makes the account that an application has registered a person for. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { clientId, body } = await readClientCall(context, request, schema);
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
