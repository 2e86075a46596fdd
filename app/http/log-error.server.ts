import type { Logger } from "pino";
import { describeError } from "#app/domain/audit/describe-error.server.ts";

/** Logs what a defect needs to be found, under the reference that the page shows: never the request itself. */
export function logError(log: Logger, error: unknown, where: { requestId: string; path: string }): void {
  log.error({ ...where, error: describeError(error) }, "unexpected error");
}
