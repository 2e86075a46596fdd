import type { ActionFunctionArgs } from "@remix-run/node";
import { startKeyCheck } from "#app/domain/second-factor/verify-key.server.ts";
import { factorAnswer } from "#app/http/factor-response.server.ts";
import { answerJson, readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { SECOND_FACTOR_CALLS } from "#app/http/second-factor-calls.ts";

export const loader = refuseReading;

/** Asks for one of the person's security keys. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken } = await readJsonCall(context, request, SECOND_FACTOR_CALLS.mfaInitFido2.schema);
  const outcome = await startKeyCheck(context, { mfaToken, browser: context.browser });
  if (outcome.kind !== "started") return factorAnswer(outcome);
  const { kind: _kind, ...started } = outcome;
  return answerJson(started);
}
