import type { Request, RequestHandler, Response } from "express";
import type { AppContext } from "#app/context.server.ts";
import { passkeyDeviceCookie } from "#app/http/cookies.server.ts";
import type { FormPostPage } from "#app/oidc/form-post-page.server.ts";
import { StorageRefused } from "#app/oidc/storage-refused.ts";
import { isEnginePath } from "./engine-paths.server.ts";
import type { FailWithPage } from "./error-response.server.ts";
import { requestState } from "./request-state.server.ts";
import { type StoredRequests, secondsUntilStorable } from "./stored-requests.server.ts";

type EngineDeps = Pick<AppContext, "config" | "oidc">;

/** Passes the browser's requests to oidc-provider; responds 429 if an address has stored too many requests. */
export function engine({ config, oidc }: EngineDeps, stored: StoredRequests, failWith: FailWithPage): RequestHandler {
  async function handle(request: Request, response: Response): Promise<void> {
    const { requestId, address, browser } = requestState(response);
    try {
      await oidc.handle(request, response, {
        ...{ requestId, address, browser },
        hasPasskeyDevice: passkeyDeviceCookie.read(config, request.headers.cookie) !== "",
        formPostPage: createFormPostPage(config, request),
        secondsUntilStorable: () => secondsUntilStorable(stored, address, () => oidc.session(request, response)),
      });
    } catch (error) {
      if (!(error instanceof StorageRefused)) throw error;
      failWith(request, response, { status: 429, code: "throttled", retryAfterSeconds: error.retryAfterSeconds });
    }
  }

  return (request, response, next) => {
    if (!isEnginePath(request.path)) return next();
    handle(request, response).catch(next);
  };
}

function createFormPostPage(config: AppContext["config"], request: Request): FormPostPage {
  return async (formPost) => {
    // Loaded on demand, because form_post is rare.
    const { renderFormPostPage } = await import("./render-form-post-page.server.ts");
    return renderFormPostPage(config, request, formPost);
  };
}
