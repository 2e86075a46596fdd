import type { LoaderFunctionArgs } from "@remix-run/node";
import { finishOwnKey } from "#app/domain/settings/security-keys.server.ts";
import { firstKeyNames } from "#app/http/first-key-names.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { answerCall } from "#app/http/settings-api.server.ts";
import { MANAGE_CALLS } from "#app/http/settings-calls.ts";
import { callFacts, changeAnswer } from "#app/http/settings-response.server.ts";

/** Registers the security key that answered. */
export async function action({ context, request }: LoaderFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.verifyFido2,
    handle: async (access, body) => {
      const firstNames = firstKeyNames((await settingsTexts(context, request)).t);
      return changeAnswer(context, await finishOwnKey(context, access, { ...callFacts(context), firstNames, ...body }));
    },
  });
}

/** The answer to GET: 405. */
export const loader = action;
