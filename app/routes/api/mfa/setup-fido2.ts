import type { ActionFunctionArgs } from "@remix-run/node";
import { finishKeySetUp } from "#app/domain/second-factor/key-set-up.server.ts";
import { factorAnswer, requestMetadata } from "#app/http/factor-response.server.ts";
import { firstKeyNames } from "#app/http/first-key-names.ts";
import { readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { SECOND_FACTOR_CALLS } from "#app/http/second-factor-calls.ts";

export const loader = refuseReading;

/** Registers the security key that answered. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken, body } = await readJsonCall(context, request, SECOND_FACTOR_CALLS.mfaSetupFido2.schema);
  const firstNames = firstKeyNames(await textsOf(context, request));
  return factorAnswer(await finishKeySetUp(context, { ...requestMetadata(context), mfaToken, firstNames, ...body }));
}
