import type { ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { factorAnswer, factorFacts } from "#app/views/factor-answer.server.ts";
import { orOverloaded } from "#app/views/overload.server.ts";

const schema = z.object({ code: z.string().max(200) });

export const loader = refuseReading;

/** Checks a code of the authenticator app, or a recovery code. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken, body } = await readJsonCall(context, request, schema);
  const input = { ...factorFacts(context), mfaToken, code: body.code };
  return factorAnswer(await orOverloaded(() => verifyCode(context, input)));
}
