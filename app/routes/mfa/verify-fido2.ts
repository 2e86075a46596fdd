import type { ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { verifyKey } from "#app/domain/second-factor/verify-key.server.ts";
import { readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { factorAnswer, factorFacts } from "#app/views/factor-answer.server.ts";

/** The assertion; what it holds is judged with the ceremony, which every answer uses up. */
const schema = z.record(z.string(), z.unknown());

export const loader = refuseReading;

/** Checks what a security key answered. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken, body: assertion } = await readJsonCall(context, request, schema);
  return factorAnswer(await verifyKey(context, { ...factorFacts(context), mfaToken, assertion }));
}
