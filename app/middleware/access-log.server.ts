import type { ServerResponse } from "node:http";
import type { AppContext } from "#app/context.server.ts";
import { pathToLog } from "#app/http/log-error.server.ts";
import { requestState } from "./request-state.server.ts";
import { pathOf, type Step } from "./step.server.ts";

/** Logs one line per request, without query, headers and body, which contain codes, tokens and passwords. */
export function accessLog({ log }: Pick<AppContext, "log">): Step {
  return (request, response, next) => {
    const startedAt = performance.now();
    // Read now, because an error page changes path and method.
    const { method = "" } = request;
    const path = pathToLog(pathOf(request));
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

function levelOf(response: ServerResponse, path: string): "debug" | "info" | "error" {
  if (response.statusCode >= 500) return "error";
  return path === "/healthz" || path === "/readyz" || path.startsWith("/assets/") ? "debug" : "info";
}
