import type { LoaderFunctionArgs } from "@remix-run/node";
import { finishOwnTotp } from "#app/domain/settings/totp.server.ts";
import { answerCall } from "#app/http/settings-api.server.ts";
import { MANAGE_CALLS } from "#app/http/settings-calls.ts";
import { callFacts, changeAnswer } from "#app/http/settings-response.server.ts";

/** Ends the set-up of an authenticator app with its first code. */
export async function action({ context, request }: LoaderFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.verifyTotp,
    handle: async (access, { code }) =>
      changeAnswer(context, await finishOwnTotp(context, access, { ...callFacts(context), code })),
  });
}

/** The answer to GET: 405. */
export const loader = action;
