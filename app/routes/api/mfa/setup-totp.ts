import type { ActionFunctionArgs } from "@remix-run/node";
import { finishTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import { readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { SECOND_FACTOR_CALLS } from "#app/http/second-factor-calls.ts";
import { factorAnswer, factorFacts } from "#app/http/factor-response.server.ts";

export const loader = refuseReading;

/** Ends the set-up of an authenticator app with its first code. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken, body } = await readJsonCall(context, request, SECOND_FACTOR_CALLS.mfaSetupTotp.schema);
  return factorAnswer(await finishTotpSetUp(context, { ...factorFacts(context), mfaToken, code: body.code }));
}
