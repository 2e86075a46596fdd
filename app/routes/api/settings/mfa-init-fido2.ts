import type { LoaderFunctionArgs } from "@remix-run/node";
import { startOwnKey } from "#app/domain/settings/security-keys.server.ts";
import { answerJson } from "#app/http/json-call.server.ts";
import { answerCall } from "#app/http/settings-api.server.ts";
import { MANAGE_CALLS } from "#app/http/settings-calls.ts";
import { settingsAnswer } from "#app/http/settings-response.server.ts";

/** Begins to register one more security key. */
export async function action({ context, request }: LoaderFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.initFido2,
    handle: async (access) => {
      const outcome = await startOwnKey(context, access);
      if (outcome.kind !== "started") return settingsAnswer(outcome);
      const { kind: _kind, ...started } = outcome;
      return answerJson(started);
    },
  });
}

/** The answer to GET: 405. */
export const loader = action;
