import type { ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { finishTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import { readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { factorAnswer, factorFacts } from "#app/views/factor-answer.server.ts";

const schema = z.object({ code: z.string().max(200) });

export const loader = refuseReading;

/** Ends the set-up of an authenticator app with its first code. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken, body } = await readJsonCall(context, request, schema);
  return factorAnswer(await finishTotpSetUp(context, { ...factorFacts(context), mfaToken, code: body.code }));
}
