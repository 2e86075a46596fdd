import type { LoaderFunctionArgs } from "@remix-run/node";
import { changePassword } from "#app/domain/password/change.server.ts";
import { orOverloaded } from "#app/http/overload.server.ts";
import { answerCall } from "#app/http/settings-api.server.ts";
import { MANAGE_CALLS } from "#app/http/settings-calls.ts";
import { callFacts, changeAnswer } from "#app/http/settings-response.server.ts";

/** Gives the person another password; their other sessions end. */
export async function action({ context, request }: LoaderFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.changePassword,
    handle: async (access, body) => {
      const input = { ...callFacts(context), ...body, endOthers: true };
      return changeAnswer(context, await orOverloaded(() => changePassword(context, access, input)));
    },
  });
}

/** The answer to GET: 405. */
export const loader = action;
