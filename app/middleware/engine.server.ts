import type { Request, RequestHandler, Response } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { FormPostPage } from "#app/oidc/form-post-page.server.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { isEnginePath } from "./engine-paths.server.ts";
import type { FailWith } from "./error-response.server.ts";
import {
  countersOfRequest,
  followPlace,
  type OpenInteractions,
  type PlaceOfRequest,
  takePlaceOf,
} from "./interaction-limit.server.ts";
import { requestState } from "./request-state.server.ts";

type EngineDeps = Pick<AppContext, "config" | "oidc">;

/** Hands the OpenID Connect engine the requests on its paths; 429 to an address that leaves too many unanswered. */
export function engine({ config, oidc }: EngineDeps, open: OpenInteractions, failWith: FailWith): RequestHandler {
  async function handle(request: Request, response: Response): Promise<void> {
    const place = await takePlace(open, oidc, request, response);
    const { retryAfterSeconds } = place;
    if (retryAfterSeconds > 0) {
      return failWith(request, response, { status: 429, code: "throttled", retryAfterSeconds });
    }
    const { requestId, address, browser } = requestState(response);
    const formPostPage = showFormPost(config, request);
    try {
      await oidc.handle(request, response, { requestId, address, browser, formPostPage, observe: place.observe });
    } finally {
      place.settle();
    }
  }

  return (request, response, next) => {
    if (!isEnginePath(request.path)) return next();
    handle(request, response).catch(next);
  };
}

/**
 * Takes the place of the interaction that this request may open, before it does, so that many at the same moment do not
 * all pass. `settle` gives it back where none was opened. Where the address has none left, a live session has its own.
 */
async function takePlace(
  open: OpenInteractions,
  oidc: EngineDeps["oidc"],
  request: Request,
  response: Response,
): Promise<PlaceOfRequest & { retryAfterSeconds: number }> {
  const isPushed = request.path === ENGINE_ROUTES.pushed_authorization_request;
  const begins = isPushed || request.path === ENGINE_ROUTES.authorization;
  const counters = countersOfRequest(requestState(response).address, isPushed);
  const findSession = async () => (isPushed ? null : oidc.session(request, response));
  const taken = begins ? await takePlaceOf(open, counters, findSession) : null;
  if (taken && "retryAfterSeconds" in taken) return { ...taken, observe() {}, settle() {} };
  return { retryAfterSeconds: 0, ...followPlace(open, taken) };
}

function showFormPost(config: AppContext["config"], request: Request): FormPostPage {
  return async (parts) => {
    // Read on demand: most applications want their answer in the address.
    const { postedAnswerPage } = await import("./form-post-page.server.ts");
    return postedAnswerPage(config, request, parts);
  };
}
