import type { Request, RequestHandler, Response } from "express";
import type { AppContext } from "#app/context.server.ts";
import { requestState } from "./request-state.server.ts";

const MAX_PATH_LENGTH = 200;

/** Logs one line per request, without query, headers and body, which contain codes, tokens and passwords. */
export function accessLog({ log }: Pick<AppContext, "log">): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    // Read now, because an error page changes path and method.
    const { method } = request;
    const path = pathToLog(request);
    response.once("close", () => {
      const { requestId, address } = requestState(response);
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      const aborted = response.writableFinished ? {} : { aborted: true };
      log[levelOf(response, path)](
        { requestId, method, path, status: response.statusCode, durationMs, address, ...aborted },
        "request",
      );
    });
    next();
  };
}

/** Masks the interaction's uid after /oauth2/auth/, also in misspelled paths. */
function pathToLog(request: Request): string {
  const path = request.path.slice(0, MAX_PATH_LENGTH);
  return path.replace(/^\/oauth2\/auth\/.+/i, "/oauth2/auth/…");
}

function levelOf(response: Response, path: string): "debug" | "info" | "error" {
  if (response.statusCode >= 500) return "error";
  return path === "/healthz" || path === "/readyz" || path.startsWith("/assets/") ? "debug" : "info";
}
