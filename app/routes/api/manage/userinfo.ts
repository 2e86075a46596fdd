import type { LoaderFunctionArgs } from "@remix-run/node";
import { findUserInfo } from "#app/domain/settings/overview.server.ts";
import { answerError, answerJson } from "#app/http/json-call.server.ts";
import { answerCall } from "#app/http/manage-api.server.ts";
import { NO_BODY } from "#app/http/manage-calls.ts";

/** Who is in the settings. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return answerCall(context, request, {
    method: "GET",
    schema: NO_BODY,
    handle: async (access) => {
      const user = await findUserInfo(context, access);
      if (!user) return answerError(401, "unauthorized");
      const { userId, displayName, picture, returnToUrl } = user;
      return answerJson({ user_id: userId, display_name: displayName, picture, return_to_url: returnToUrl });
    },
  });
}

/** The answer to all other methods: 405. */
export const action = loader;
