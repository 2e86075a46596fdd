import type { RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { isEnginePath } from "./engine-paths.server.ts";
import { requestState } from "./request-state.server.ts";

/** Hands the OpenID Connect engine the requests on its paths. */
export function engine({ oidc }: Pick<AppContext, "oidc">): RequestHandler {
  return (request, response, next) => {
    if (!isEnginePath(request.path)) return next();
    const { requestId, address, browser } = requestState(response);
    oidc.handle(request, response, { requestId, address, browser }).catch(next);
  };
}
