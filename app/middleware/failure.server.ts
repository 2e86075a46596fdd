import type { IncomingMessage, ServerResponse } from "node:http";
import type { AppContext } from "#app/context.server.ts";
import type { Failure } from "#app/http/load-context.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { requestState } from "./request-state.server.ts";
import { pathOf } from "./step.server.ts";

/** Logs an unexpected error, and returns the response to it, which contains no details. */
export function failureOf(
  { log, store }: Pick<AppContext, "log" | "store">,
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
): Failure {
  const status = statusOf(error);
  if (status >= 500) logError(log, error, { requestId: requestState(response).requestId, path: pathOf(request) });
  if (store.isUnavailable(error)) return { status: 503, code: "overloaded" };
  return { status, code: status >= 500 ? "internal" : "bad request" };
}

/** Express and its body parser set a 4xx status on client errors. */
function statusOf(error: unknown): number {
  if (typeof error !== "object" || error === null || !("status" in error)) return 500;
  const { status } = error;
  return typeof status === "number" && status >= 400 && status < 500 ? status : 500;
}
