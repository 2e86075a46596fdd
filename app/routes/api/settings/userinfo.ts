import type { LoaderFunctionArgs } from "@remix-run/node";
import { findUserInfo } from "#app/domain/settings/overview.server.ts";
import { answerJson } from "#app/http/json-call.server.ts";
import { answerCall } from "#app/http/settings-api.server.ts";
import { MANAGE_CALLS } from "#app/http/settings-calls.ts";
import { settingsAnswer } from "#app/http/settings-response.server.ts";

/** Who is in the settings. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.userinfo,
    handle: async (access) => {
      const user = await findUserInfo(context, access);
      if (!user) return settingsAnswer({ kind: "unauthorized" });
      const { userId, displayName, picture, returnToUrl } = user;
      return answerJson({ user_id: userId, display_name: displayName, picture, return_to_url: returnToUrl });
    },
  });
}

/** The answer to all other methods: 405. */
export const action = loader;
