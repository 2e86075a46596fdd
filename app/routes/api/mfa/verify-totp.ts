import type { ActionFunctionArgs } from "@remix-run/node";
import { verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { factorAnswer, requestMetadata } from "#app/http/factor-response.server.ts";
import { readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { orOverloaded } from "#app/http/overload.server.ts";
import { SECOND_FACTOR_CALLS } from "#app/http/second-factor-calls.ts";

export const loader = refuseReading;

/** Checks a code of the authenticator app, or a recovery code. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken, body } = await readJsonCall(context, request, SECOND_FACTOR_CALLS.mfaVerifyTotp.schema);
  const input = { ...requestMetadata(context), mfaToken, code: body.code };
  return factorAnswer(await orOverloaded(() => verifyCode(context, input)));
}
