import type { AppContext } from "#app/context.server.ts";
import { describeError } from "#app/domain/audit/describe-error.server.ts";
import type { RunningServer } from "./serve.server.ts";

/** Answers what has begun, then closes the database. */
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
 * What nobody foresaw may have left anything half done: the process says so, in a line of the log like any other, and
 * ends with 1, for whoever runs it to start it again. What Node itself warns of becomes a line too.
 */
export function logLastWords({ log }: Pick<AppContext, "log">): void {
  process.on("uncaughtException", (error) => {
    log.fatal({ error: describeError(error) }, "uncaught exception");
    process.exit(1);
  });
  // Node's own listener writes text.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => log.warn({ error: describeError(warning) }, "Node warns"));
}

/** One forgotten promise must not sign everybody out: it is logged, and the process goes on. */
export function surviveForgottenPromises({ log }: Pick<AppContext, "log">): void {
  process.on("unhandledRejection", (reason) => {
    log.error({ error: describeError(reason) }, "unhandled rejection");
  });
}
