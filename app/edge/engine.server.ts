import type { Request, RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { FormPostPage } from "#app/oidc/form-post-page.server.ts";
import { isEnginePath } from "./engine-paths.server.ts";
import { requestState } from "./request-state.server.ts";

/** Hands the OpenID Connect engine the requests on its paths. */
export function engine({ config, oidc }: Pick<AppContext, "config" | "oidc">): RequestHandler {
  return (request, response, next) => {
    if (!isEnginePath(request.path)) return next();
    const { requestId, address, browser } = requestState(response);
    const formPostPage = showFormPost(config, request);
    oidc.handle(request, response, { requestId, address, browser, formPostPage }).catch(next);
  };
}

function showFormPost(config: AppContext["config"], request: Request): FormPostPage {
  return async (parts) => {
    // Read on demand: most applications want their answer in the address.
    const { postedAnswerPage } = await import("./posted-answer.server.ts");
    return postedAnswerPage(config, request, parts);
  };
}
