import type { ActionFunctionArgs } from "@remix-run/node";
import { finishTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import { factorAnswer, requestMetadata } from "#app/http/factor-response.server.ts";
import { readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { SECOND_FACTOR_CALLS } from "#app/http/second-factor-calls.ts";

export const loader = refuseReading;

/** Ends the set-up of an authenticator app with its first code. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken, body } = await readJsonCall(context, request, SECOND_FACTOR_CALLS.mfaSetupTotp.schema);
  return factorAnswer(await finishTotpSetUp(context, { ...requestMetadata(context), mfaToken, code: body.code }));
}
