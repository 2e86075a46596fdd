import type { ActionFunctionArgs } from "@remix-run/node";
import { disconnectProvider } from "#app/domain/external-account/disconnect.server.ts";
import { isProvider } from "#app/domain/external-account/providers.ts";
import { answerCall } from "#app/http/settings-api.server.ts";
import { MANAGE_CALLS } from "#app/http/settings-calls.ts";
import { callFacts, changeAnswer, settingsAnswer } from "#app/http/settings-response.server.ts";

/** Disconnects the person's account at a provider. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.disconnect,
    handle: async (access) => {
      const { provider } = params;
      if (!isProvider(provider)) return settingsAnswer({ kind: "page_not_found" });
      return changeAnswer(context, await disconnectProvider(context, access, callFacts(context), provider));
    },
  });
}

/** The answer to GET: 405. */
export const loader = action;
