import type { ActionFunctionArgs } from "@remix-run/node";
import { redeemRegistration } from "#app/domain/registration/redeem.server.ts";
import { answerError, answerJson, refuseReading } from "#app/http/json-call.server.ts";
import { REGISTRATION_CALLS } from "#app/http/registration-calls.ts";
import { readClientCall } from "./client-call.server.ts";

export const loader = refuseReading;

/** Tells an application what was hinted of the person whom it was handed. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { clientId, body } = await readClientCall(context, request, REGISTRATION_CALLS.redeemRegistration.schema);
  const { address, requestId } = context;
  const input = { registrationToken: body.registration_token, clientId, address, requestId };
  const outcome = await redeemRegistration(context, input);
  if (outcome.kind === "not found") return answerError(400, "registration not found");
  const hints = Object.fromEntries(outcome.hints.map(({ key, value }) => [key, value]));
  // Nothing that an application hints is verified; what a provider says may be.
  return answerJson({ hints, verified: outcome.verified, registration_id: outcome.registrationId });
}
