import type { ActionFunctionArgs } from "@remix-run/node";
import { startKeySetUp } from "#app/domain/second-factor/key-set-up.server.ts";
import { factorAnswer } from "#app/http/factor-response.server.ts";
import { answerJson, readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { SECOND_FACTOR_CALLS } from "#app/http/second-factor-calls.ts";

export const loader = refuseReading;

/** Begins to register a security key in the middle of a sign-in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken } = await readJsonCall(
    context,
    request,
    SECOND_FACTOR_CALLS.mfaInitFido2Registration.schema,
  );
  const outcome = await startKeySetUp(context, { mfaToken, browser: context.browser });
  if (outcome.kind !== "started") return factorAnswer(outcome);
  const { kind: _kind, ...started } = outcome;
  return answerJson(started);
}
