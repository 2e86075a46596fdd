import type { Request, RequestHandler, Response } from "express";
import onHeaders from "on-headers";
import type { AppContext } from "#app/context.server.ts";
import { fallbackPage } from "#app/http/fallback-page.server.ts";
import type { Failure } from "#app/http/load-context.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { isApiPath, isSettingsPage } from "./engine-paths.server.ts";
import { languageOfApplication, languageOfRefused } from "./page-language.server.ts";
import { requestState } from "./request-state.server.ts";
import type { FailWith, Step } from "./step.server.ts";

/** Ends a request with an error page, or with JSON on paths of the API. */
export type FailWithPage = FailWith<Request, Response>;

/** Match no route, so that the page for unknown paths is rendered; its loader reads `failure` from the context. */
const ERROR_PAGE = "/error-page";
const SETTINGS_ERROR_PAGE = `/manage${ERROR_PAGE}`;

/** Remix requests the data of a page at its path with this suffix. */
const DATA_SUFFIX = ".data";

/** Creates the error response of the middleware: a rendered page, or the fallback page if rendering fails too. */
export function createFailWith(
  { config, log }: Pick<AppContext, "config" | "log">,
  pages: RequestHandler,
): FailWithPage {
  async function sendFallbackPage(request: Request, response: Response, failure: Failure): Promise<void> {
    const language = await languageOfRefused(config, request);
    // A partial response must not look complete.
    if (response.headersSent) return void response.destroy();
    const { requestId } = requestState(response);
    const { body, headers } = fallbackPage({ ...failure, requestId, language, config });
    response.status(failure.status).set(headers).send(body);
  }

  return (request, response, failure, options = {}) => {
    const state = requestState(response);
    const isSecondFailure = state.failure !== null;
    state.failure = failure;
    const { retryAfterSeconds } = failure;
    if (retryAfterSeconds !== undefined && !response.headersSent) {
      response.set("Retry-After", String(retryAfterSeconds));
    }
    if (!response.headersSent && wantsJson(request)) return sendJsonError(response, failure);
    if (isSecondFailure || response.headersSent || options.withoutFiles) {
      return void sendFallbackPage(request, response, failure);
    }
    rewriteToErrorPage(request);
    ensureErrorStatus(response, failure);
    pages(request, response, (error: unknown) => {
      logError(log, error, { requestId: state.requestId, path: request.path });
      void sendFallbackPage(request, response, failure);
    });
  };
}

/** Long enough for a lock to be released or a database server to restart. */
const RETRY_AFTER_SECONDS = "5";

/** Adds Retry-After to every 503 that has none (RFC 9110 §15.6.4). */
export const addRetryAfter: Step = (_request, response, next) => {
  onHeaders(response, () => {
    if (response.statusCode === 503 && !response.hasHeader("Retry-After")) {
      response.setHeader("Retry-After", RETRY_AFTER_SECONDS);
    }
  });
  next();
};

/** Returns true for paths of the API, unknown ones included, and for JSON bodies. */
function wantsJson(request: Request): boolean {
  return isApiPath(request.path) || request.is("application/json") === "application/json";
}

function sendJsonError(response: Response, { status, code, description }: Failure): void {
  const details = description === undefined ? {} : { error_description: description };
  response
    .status(status)
    .set("Cache-Control", "no-store")
    .json({ error: code, ...details });
}

/**
 * Turns the request into a GET without body, so that no action runs. A form that the script of the settings has sent
 * stays a POST, to the action of the error page, so that Remix encodes the error for the script.
 */
function rewriteToErrorPage(request: Request): void {
  const language = new URLSearchParams(request.url.split("?", 2)[1]).get("lng") ?? languageOfApplication(request);
  const isSettings = isSettingsPage(request.path);
  const isScriptForm = isSettings && request.method === "POST" && request.path.endsWith(DATA_SUFFIX);
  if (!isScriptForm) request.method = request.method === "HEAD" ? "HEAD" : "GET";
  const page = (isSettings ? SETTINGS_ERROR_PAGE : ERROR_PAGE) + (isScriptForm ? DATA_SUFFIX : "");
  request.url = language ? `${page}?${new URLSearchParams({ lng: language })}` : page;
  request.originalUrl = request.url;
  for (const name of ["content-length", "content-type", "transfer-encoding", "content-encoding", "origin"]) {
    delete request.headers[name];
  }
}

/** Ensures an error status, even if the page sets none. */
function ensureErrorStatus(response: Response, failure: Failure): void {
  onHeaders(response, () => {
    if (response.statusCode < 400) response.statusCode = failure.status;
  });
}
