import type { Request, Response } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { LoadContext, Scripts } from "#app/http/load-context.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { formTargetOf } from "./form-target.server.ts";
import { requestState } from "./request-state.server.ts";

/** Creates the context of loaders and actions for one request. */
export function loadContext(
  context: AppContext & { scripts: Scripts },
  request: Request,
  response: Response,
): LoadContext {
  const state = requestState(response);
  return {
    ...context,
    requestId: state.requestId,
    cspNonce: state.cspNonce,
    browser: state.browser,
    browserIsKnown: state.browserIsKnown,
    address: state.address,
    userAgent: request.get("user-agent") ?? "",
    afterAnswer: (work) => {
      const failed = (error: unknown) =>
        logError(context.log, error, { requestId: state.requestId, path: request.path });
      response.once("close", () => void work().catch(failed));
    },
    isPosted: request.method === "POST",
    allowFormTarget: (uri) => {
      const target = formTargetOf(uri);
      if (target) state.formTargets.add(target);
    },
    allowPicture: (url) => {
      const source = formTargetOf(url);
      // The scheme alone is the source of an IPv6 address: too wide for pictures.
      if (source?.startsWith("https://")) state.pictureSources.add(source);
    },
    session: () => {
      state.session ??= context.oidc.session(request, response);
      return state.session;
    },
    exchange: { request, response },
    failure: state.failure,
  };
}
