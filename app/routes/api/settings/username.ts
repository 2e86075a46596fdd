import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { findUserInfo } from "#app/domain/settings/overview.server.ts";
import { changeUsername } from "#app/domain/username/change.server.ts";
import { answerJson } from "#app/http/json-call.server.ts";
import { answerCall } from "#app/http/settings-api.server.ts";
import { MANAGE_CALLS } from "#app/http/settings-calls.ts";
import { callFacts, changeAnswer, settingsAnswer } from "#app/http/settings-response.server.ts";

/** The person's user name. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.username,
    otherMethod: "PUT",
    handle: async (access) => {
      const user = await findUserInfo(context, access);
      return user ? answerJson({ username: user.username }) : settingsAnswer({ kind: "unauthorized" });
    },
  });
}

/** Gives the person another user name. */
export async function action({ context, request }: ActionFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.changeUsername,
    otherMethod: "GET",
    handle: async (access, { username }) =>
      changeAnswer(context, await changeUsername(context, access, { ...callFacts(context), username })),
  });
}
