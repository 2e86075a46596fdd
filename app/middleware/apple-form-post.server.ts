import express, { type RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { takePostedAnswer } from "#app/domain/external-account/posted-answer.server.ts";
import type { FailWith } from "./error-response.server.ts";
import { requestState } from "./request-state.server.ts";

/** Apple's answers; all other providers answer by a redirect. */
const PATH = "/login/apple/callback";

/** A code, a state and a name are far below it. */
const MAX_BYTES = 16 * 1024;

/**
 * Apple posts its answer from its own site: the browser sends no SameSite=Lax cookie along. The answer is kept with its
 * attempt, no cookie is set, and the browser goes on with a GET, which brings the cookie and is held against it.
 */
export function postedAnswers(context: AppContext, failWith: FailWith): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true });
  if (!context.upstream.providers.includes("apple")) return router;
  const type = "application/x-www-form-urlencoded";
  router.post(PATH, express.text({ type, limit: MAX_BYTES, inflate: false }));
  router.post(PATH, (request, response, next) => {
    const body: unknown = request.body;
    if (typeof body !== "string") return failWith(request, response, { status: 415, code: "bad request" });
    const { address, requestId } = requestState(response);
    takePostedAnswer(context, { form: new URLSearchParams(body), address, requestId }).then((id) => {
      // Without an attempt the page that it leads to says so: nothing of the form comes along.
      response.status(303).set("Location", id === null ? PATH : `${PATH}?${new URLSearchParams({ attempt: id })}`);
      response.end();
    }, next);
  });
  return router;
}
