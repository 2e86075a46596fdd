import type { LoaderFunctionArgs } from "@remix-run/node";
import { finishOwnKey } from "#app/domain/settings/security-keys.server.ts";
import { answerCall } from "#app/http/manage-api.server.ts";
import { MANAGE_CALLS } from "#app/http/manage-calls.ts";
import { firstKeyNames } from "#app/views/first-key-names.ts";
import { settingsTexts } from "#app/views/manage.server.ts";
import { callFacts, changeAnswer } from "#app/views/settings-answer.server.ts";

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
