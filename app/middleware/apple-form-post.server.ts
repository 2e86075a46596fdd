import express, { type RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { receivePostedResponse } from "#app/domain/external-account/posted-response.server.ts";
import type { FailWith } from "./error-response.server.ts";
import { requestState } from "./request-state.server.ts";

/** Only Apple uses form_post; the other providers redirect. */
const PATH = "/login/apple/callback";

const MAX_BYTES = 16 * 1024;

/**
 * Handles Apple's form_post, a cross-site request without SameSite=Lax cookies. The response is stored with its
 * attempt, no cookie is set, and the browser is redirected to a GET that sends the cookie, which is then checked.
 */
export function appleFormPost(context: AppContext, failWith: FailWith): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true });
  if (!context.upstream.providers.includes("apple")) return router;
  const type = "application/x-www-form-urlencoded";
  router.post(PATH, express.text({ type, limit: MAX_BYTES, inflate: false }));
  router.post(PATH, (request, response, next) => {
    const body: unknown = request.body;
    if (typeof body !== "string") return failWith(request, response, { status: 415, code: "bad request" });
    const { address, requestId } = requestState(response);
    receivePostedResponse(context, { form: new URLSearchParams(body), address, requestId }).then((id) => {
      // Without an attempt, the callback page shows the error; no form data is passed on.
      response.status(303).set("Location", id === null ? PATH : `${PATH}?${new URLSearchParams({ attempt: id })}`);
      response.end();
    }, next);
  });
  return router;
}
