import type { Logger } from "pino";
import { describeError } from "#app/domain/audit/describe-error.server.ts";

/** Logs an unexpected error with the request id that the page shows, without the request's contents. */
export function logError(log: Logger, error: unknown, where: { requestId: string; path: string }): void {
  log.error({ ...where, error: describeError(error) }, "unexpected error");
}
