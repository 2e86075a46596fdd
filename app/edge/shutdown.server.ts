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

/** One forgotten promise must not sign everybody out: it is logged, and the process goes on. */
export function surviveForgottenPromises({ log }: Pick<AppContext, "log">): void {
  process.on("unhandledRejection", (reason) => {
    log.error({ error: describeError(reason) }, "unhandled rejection");
  });
}
