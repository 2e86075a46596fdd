import type { Logger } from "pino";
import { describeError } from "#app/domain/base/describe-error.server.ts";

const MAX_PATH_LENGTH = 200;

/** Logs an unexpected error with the request id that the page shows, without the request's contents. */
export function logError(log: Logger, error: unknown, { requestId, path }: { requestId: string; path: string }): void {
  log.error({ requestId, path: pathToLog(path), error: describeError(error) }, "unexpected error");
}

/**
 * Masks the interaction's uid after /oauth2/auth/, also in misspelled paths: the cookie that resumes the interaction has
 * the same value.
 */
export function pathToLog(path: string): string {
  return path.slice(0, MAX_PATH_LENGTH).replace(/^\/oauth2\/auth\/.+/i, "/oauth2/auth/…");
}
