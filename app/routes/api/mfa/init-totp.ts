import type { ActionFunctionArgs } from "@remix-run/node";
import { startTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import { factorAnswer } from "#app/http/factor-response.server.ts";
import { answerJson, readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { drawQrCode } from "#app/http/qr-code.server.ts";
import { SECOND_FACTOR_CALLS } from "#app/http/second-factor-calls.ts";

export const loader = refuseReading;

/** Begins to set up an authenticator app in the middle of a sign-in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken } = await readJsonCall(context, request, SECOND_FACTOR_CALLS.mfaInitTotp.schema);
  const outcome = await startTotpSetUp(context, { mfaToken, browser: context.browser });
  if (outcome.kind !== "started") return factorAnswer(outcome);
  return answerJson({ qr_code: await drawQrCode(outcome.otpauthUri), secret: outcome.secretBase32 });
}
