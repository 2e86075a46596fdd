import express, { type RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { receivePostedResponse } from "#app/domain/external-account/posted-response.server.ts";
import type { FailWithPage } from "./error-response.server.ts";
import { requestState } from "./request-state.server.ts";

const MAX_BYTES = 16 * 1024;

/**
 * Handles a provider's form_post, a cross-site request without SameSite=Lax cookies. The response is stored with its
 * attempt, no cookie is set, and the browser is redirected to a GET that sends the cookie, which is then checked.
 */
export function providerFormPost(context: AppContext, failWith: FailWithPage): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true });
  const type = "application/x-www-form-urlencoded";
  for (const provider of context.upstream.postingProviders) {
    const path = `/login/${provider}/callback`;
    router.post(path, express.text({ type, limit: MAX_BYTES, inflate: false }));
    router.post(path, (request, response, next) => {
      const body: unknown = request.body;
      if (typeof body !== "string") return failWith(request, response, { status: 415, code: "bad request" });
      const { address, requestId } = requestState(response);
      receivePostedResponse(context, { provider, form: new URLSearchParams(body), address, requestId }).then((id) => {
        // Without an attempt, the callback page shows the error; no form data is passed on.
        response.status(303).set("Location", id === null ? path : `${path}?${new URLSearchParams({ attempt: id })}`);
        response.end();
      }, next);
    });
  }
  return router;
}
