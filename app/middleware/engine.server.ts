import type { Request, RequestHandler, Response } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { FormPostPage } from "#app/oidc/form-post-page.server.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { isEnginePath } from "./engine-paths.server.ts";
import type { FailWith } from "./error-response.server.ts";
import {
  acquireSlotOf,
  countersOfRequest,
  type OpenInteractions,
  type SlotOfRequest,
  trackSlot,
} from "./interaction-limit.server.ts";
import { requestState } from "./request-state.server.ts";

type EngineDeps = Pick<AppContext, "config" | "oidc">;

/** Passes requests on its paths to oidc-provider; responds 429 if an address has too many open interactions. */
export function engine({ config, oidc }: EngineDeps, open: OpenInteractions, failWith: FailWith): RequestHandler {
  async function handle(request: Request, response: Response): Promise<void> {
    const slot = await acquireSlot(open, oidc, request, response);
    const { retryAfterSeconds } = slot;
    if (retryAfterSeconds > 0) {
      return failWith(request, response, { status: 429, code: "throttled", retryAfterSeconds });
    }
    const { requestId, address, browser } = requestState(response);
    const formPostPage = createFormPostPage(config, request);
    try {
      await oidc.handle(request, response, { requestId, address, browser, formPostPage, observe: slot.observe });
    } finally {
      slot.settle();
    }
  }

  return (request, response, next) => {
    if (!isEnginePath(request.path)) return next();
    handle(request, response).catch(next);
  };
}

/**
 * Takes a slot in the limit before an interaction is opened, so that concurrent requests cannot exceed it. `settle`
 * releases it if none was opened. A live session has its own slots, used when those of the address are taken.
 */
async function acquireSlot(
  open: OpenInteractions,
  oidc: EngineDeps["oidc"],
  request: Request,
  response: Response,
): Promise<SlotOfRequest & { retryAfterSeconds: number }> {
  const isPushed = request.path === ENGINE_ROUTES.pushed_authorization_request;
  const opensInteraction = isPushed || request.path === ENGINE_ROUTES.authorization;
  const counters = countersOfRequest(requestState(response).address, isPushed);
  const findSession = async () => (isPushed ? null : oidc.session(request, response));
  const taken = opensInteraction ? await acquireSlotOf(open, counters, findSession) : null;
  if (taken && "retryAfterSeconds" in taken) return { ...taken, observe() {}, settle() {} };
  return { retryAfterSeconds: 0, ...trackSlot(open, taken) };
}

function createFormPostPage(config: AppContext["config"], request: Request): FormPostPage {
  return async (formPost) => {
    // Loaded on demand, because form_post is rare.
    const { renderFormPostPage } = await import("./form-post-page.server.ts");
    return renderFormPostPage(config, request, formPost);
  };
}
