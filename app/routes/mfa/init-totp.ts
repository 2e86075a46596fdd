import type { ActionFunctionArgs } from "@remix-run/node";
import { startTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import { NO_PAYLOAD } from "#app/http/documented-call.ts";
import { answerJson, readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { factorAnswer } from "#app/views/factor-answer.server.ts";
import { drawQrCode } from "#app/views/qr-code.server.ts";

export const loader = refuseReading;

/** Begins to set up an authenticator app in the middle of a sign-in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken } = await readJsonCall(context, request, NO_PAYLOAD);
  const outcome = await startTotpSetUp(context, { mfaToken, browser: context.browser });
  if (outcome.kind !== "started") return factorAnswer(outcome);
  return answerJson({ qr_code: await drawQrCode(outcome.otpauthUri), secret: outcome.secretBase32 });
}
