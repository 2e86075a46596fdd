import type { ActionFunctionArgs } from "@remix-run/node";
import { verifyKey } from "#app/domain/second-factor/verify-key.server.ts";
import { factorAnswer, requestMetadata } from "#app/http/factor-response.server.ts";
import { readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { SECOND_FACTOR_CALLS } from "#app/http/second-factor-calls.ts";

export const loader = refuseReading;

/** Checks what a security key answered. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken, body: assertion } = await readJsonCall(
    context,
    request,
    SECOND_FACTOR_CALLS.mfaVerifyFido2.schema,
  );
  return factorAnswer(await verifyKey(context, { ...requestMetadata(context), mfaToken, assertion }));
}
