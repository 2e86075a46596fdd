import type { AppContext } from "#app/context.server.ts";
import { recordVerification } from "#app/domain/audit-trail/verify.server.ts";
import { describeError } from "#app/domain/base/describe-error.server.ts";
import { HOUR_MS } from "#app/durations.ts";

/** At night, after the backup and outside the hours that a clock change skips or repeats (2 and 3 in Europe and America). */
const SCHEDULE = "0 4 * * *";

/** Several servers of one database verify the chain once. */
const NOT_WITHIN_MS = HOUR_MS;

/** Verifies the hash chain of the audit trail every night, in TIME_ZONE, and records the result in it. */
export async function startNightlyVerification(
  context: Pick<AppContext, "store" | "clock" | "log" | "config">,
): Promise<{ stop(): void }> {
  const { Cron } = await import("croner");
  const job = new Cron(SCHEDULE, { timezone: context.config.timeZone, protect: true }, async () => {
    try {
      await recordVerification(context, NOT_WITHIN_MS);
    } catch (error) {
      context.log.error({ error: describeError(error) }, "verifying the audit trail failed");
    }
  });
  return { stop: () => job.stop() };
}
