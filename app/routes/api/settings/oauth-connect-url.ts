import type { ActionFunctionArgs } from "@remix-run/node";
import { beginConnect } from "#app/domain/external-account/connect.server.ts";
import { isProvider } from "#app/domain/external-account/providers.ts";
import { answerJson } from "#app/http/json-call.server.ts";
import { answerCall } from "#app/http/settings-api.server.ts";
import { MANAGE_CALLS } from "#app/http/settings-calls.ts";
import { callFacts, settingsAnswer } from "#app/http/settings-response.server.ts";

/** Begins to connect an account at a provider. The attempt belongs to the browser that makes this call: its cookie names it. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.connectUrl,
    handle: async (access, { returnToUrl }) => {
      const { provider } = params;
      if (!isProvider(provider)) return settingsAnswer({ kind: "page_not_found" });
      const facts = { ...callFacts(context), browser: context.browserIsKnown ? context.browser : "" };
      const begun = await beginConnect(context, access, facts, { provider, returnTo: returnToUrl });
      return begun.kind === "away" ? answerJson({ url: begun.url }) : settingsAnswer(begun);
    },
  });
}

/** The answer to GET: 405. */
export const loader = action;
