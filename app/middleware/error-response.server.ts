import type { Request, RequestHandler, Response } from "express";
import onHeaders from "on-headers";
import type { AppContext } from "#app/context.server.ts";
import { fallbackPage } from "#app/http/fallback-page.server.ts";
import type { Failure } from "#app/http/load-context.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import type { PageCode } from "#app/http/refusal.server.ts";
import { isApiPath, isMachinePath } from "./engine-paths.server.ts";
import { requestState } from "./request-state.server.ts";

/** Ends a request with an error page. */
export type FailWith = (
  request: Request,
  response: Response,
  failure: Failure,
  options?: { asPlainPage?: boolean },
) => void;

/** No route's: it reaches the page for unknown paths, whose loader sees the failure in its context. */
const ERROR_PAGE = "/error-page";

/** Makes the one way in which the edge shows an error: in the product's look by the pages, plainly if these fail too. */
export function createFailWith({ config, log }: Pick<AppContext, "config" | "log">, pages: RequestHandler): FailWith {
  function showPlainPage(response: Response, failure: Failure): void {
    // Half an answer must not look like a whole one.
    if (response.headersSent) return void response.destroy();
    const { requestId } = requestState(response);
    const body = fallbackPage({ ...failure, requestId, issuer: config.issuer });
    response.status(failure.status).type("html").send(body);
  }

  return (request, response, failure, options = {}) => {
    const state = requestState(response);
    const isSecondFailure = state.failure !== null;
    state.failure = failure;
    const { retryAfterSeconds } = failure;
    if (retryAfterSeconds !== undefined && !response.headersSent) {
      response.set("Retry-After", String(retryAfterSeconds));
    }
    if (isSecondFailure || response.headersSent || options.asPlainPage) return showPlainPage(response, failure);
    if (wantsJson(request)) return answerProgram(request, response, failure);
    askForErrorPage(request);
    keepStatus(response, failure);
    pages(request, response, (error: unknown) => {
      logError(log, error, { requestId: state.requestId, path: request.path });
      showPlainPage(response, failure);
    });
  };
}

/** Long enough for a lock to be released, or a database server to restart. */
const RETRY_AFTER_SECONDS = "5";

/** Adds Retry-After to every 503 that has none (RFC 9110 section 15.6.4). */
export const sayWhenToRetry: RequestHandler = (_request, response, next) => {
  onHeaders(response, () => {
    if (response.statusCode === 503 && !response.hasHeader("Retry-After")) {
      response.setHeader("Retry-After", RETRY_AFTER_SECONDS);
    }
  });
  next();
};

/** Programs get the API's error answer (never a page), whatever path of it they missed. */
function wantsJson(request: Request): boolean {
  const { path } = request;
  return isApiPath(path) || isMachinePath(path) || request.is("application/json") === "application/json";
}

/** What the engine itself calls these (RFC 6749 section 4.1.2.1). */
const ENGINE_ERRORS: ReadonlyMap<PageCode, string> = new Map([
  ["internal", "server_error"],
  ["overloaded", "temporarily_unavailable"],
  ["throttled", "temporarily_unavailable"],
]);

/** On the engine's paths a defect is called as the engine itself calls it. */
function answerProgram(request: Request, response: Response, { status, code }: Failure): void {
  const error = isMachinePath(request.path) ? (ENGINE_ERRORS.get(code) ?? code) : code;
  response.status(status).set("Cache-Control", "no-store").json({ error });
}

/** Turns any request into a GET without a body, so that no action runs and nothing is read. */
function askForErrorPage(request: Request): void {
  const language = new URLSearchParams(request.url.split("?", 2)[1]).get("lng");
  request.method = request.method === "HEAD" ? "HEAD" : "GET";
  request.url = language ? `${ERROR_PAGE}?${new URLSearchParams({ lng: language })}` : ERROR_PAGE;
  request.originalUrl = request.url;
  for (const name of ["content-length", "content-type", "transfer-encoding", "content-encoding", "origin"]) {
    delete request.headers[name];
  }
}

/** The refusal is the edge's; a page that forgets the status must not turn it into a success. */
function keepStatus(response: Response, failure: Failure): void {
  onHeaders(response, () => {
    if (response.statusCode < 400) response.statusCode = failure.status;
  });
}
