import type { ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { finishKeySetUp } from "#app/domain/second-factor/key-set-up.server.ts";
import { readJsonCall, refuseReading } from "#app/http/json-call.server.ts";
import { factorAnswer, factorFacts } from "#app/views/factor-answer.server.ts";
import { firstKeyNames } from "#app/views/first-key-names.ts";
import { textsOf } from "#app/views/page-view.server.ts";

const schema = z.object({
  sessionId: z.string().max(200),
  credentialJson: z.string(),
  name: z.string().trim().max(64).optional(),
});

export const loader = refuseReading;

/** Registers the security key that answered. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { bearer: mfaToken, body } = await readJsonCall(context, request, schema);
  const firstNames = firstKeyNames(await textsOf(context, request));
  return factorAnswer(await finishKeySetUp(context, { ...factorFacts(context), mfaToken, firstNames, ...body }));
}
