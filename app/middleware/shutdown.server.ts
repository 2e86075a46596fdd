import type { AppContext } from "#app/context.server.ts";
import { describeError } from "#app/domain/base/describe-error.server.ts";
import type { RunningServer } from "./listen.server.ts";

/** Finishes requests in progress, then closes the database. */
export async function shutDown(
  { log, store }: Pick<AppContext, "log" | "store">,
  server: RunningServer,
): Promise<void> {
  try {
    await server.close();
    await store.close();
  } catch (error) {
    log.error({ error: describeError(error) }, "shutting down failed");
  }
}

/**
 * Logs an uncaught exception and exits with 1, because the process may be in an undefined state. Logs Node's warnings.
 */
export function logUncaughtExceptions({ log }: Pick<AppContext, "log">): void {
  process.on("uncaughtException", (error) => {
    log.fatal({ error: describeError(error) }, "uncaught exception");
    process.exit(1);
  });
  // Node's own listener writes plain text.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => log.warn({ error: describeError(warning) }, "Node warns"));
}

/** Logs unhandled rejections instead of ending the process. */
export function logUnhandledRejections({ log }: Pick<AppContext, "log">): void {
  process.on("unhandledRejection", (reason) => {
    log.error({ error: describeError(reason) }, "unhandled rejection");
  });
}
