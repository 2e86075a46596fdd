import type { AppContext } from "#app/context.server.ts";
import { removeOldAuditEvents } from "#app/domain/audit-trail/retention.server.ts";
import { createDailyDigest } from "#app/domain/audit-trail/verify.server.ts";
import { describeError } from "#app/domain/base/describe-error.server.ts";
import {
  createBrowserRemoval,
  removeDoneMails,
  removeExpiredCounters,
  removeExpiredSettings,
  removeExpiredTokens,
  removeHelpLinks,
} from "#app/domain/clean-up/remove-expired.server.ts";
import { removeOldLogouts } from "#app/domain/clean-up/remove-old-logouts.server.ts";
import { createLastDayJob } from "#app/domain/person/last-day.server.ts";
import { MINUTE_MS } from "#app/durations.ts";
import { LONGEST_COOKIE_SECONDS } from "#app/http/cookies.server.ts";
import { createRecordRemoval } from "#app/oidc/remove-expired.server.ts";
import { rotateDueKeys } from "#app/oidc/rotate-keys.server.ts";

/** Interval of the clean-up, in milliseconds. */
const CLEAN_UP_MS = MINUTE_MS;

type Step = (context: AppContext) => Promise<unknown>;

/** Periodic work of a server. `run` does all of it once, never concurrently. */
type CleanUp = { run(): Promise<void>; start(): void; stop(): void };

/** Blocks users whose last day is over, removes expired rows, rotates due signing keys and logs the daily digest; safe to run in several servers. */
export function createCleanUp(context: AppContext): CleanUp {
  const steps: Step[] = [
    // Detects a replaced database file where no monitor requests /readyz.
    async ({ store }) => store.requireSameFile(),
    createLastDayJob(),
    createRecordRemoval(),
    removeExpiredCounters,
    removeExpiredTokens,
    removeHelpLinks,
    removeExpiredSettings,
    removeDoneMails,
    removeOldLogouts,
    createBrowserRemoval({ afterSeconds: LONGEST_COOKIE_SECONDS }),
    removeOldAuditEvents,
    rotateDueKeys,
    createDailyDigest(),
  ];
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;

  async function runAll(): Promise<void> {
    for (const step of steps) {
      if (isStopped) return;
      try {
        await step(context);
      } catch (error) {
        // Continue with the next step. After `stop` the database is closed.
        if (!isStopped) context.log.error({ error: describeError(error) }, "cleaning up failed");
      }
    }
  }

  function run(): Promise<void> {
    running ??= runAll().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    run,
    start() {
      timer = setInterval(() => void run(), CLEAN_UP_MS);
    },
    stop() {
      isStopped = true;
      if (timer !== null) clearInterval(timer);
    },
  };
}
