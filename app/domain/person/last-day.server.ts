import type { Logger } from "pino";
import type { Config } from "#app/config/config.ts";
import { listUsersAfterLastDay } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { dayOf } from "#app/domain/base/day.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import { endAfterLastDay } from "#app/domain/user/block.server.ts";
import type { Clock } from "#app/ports.ts";

type LastDayDeps = { store: Store; clock: Clock; log: Logger; config: Pick<Config, "timeZone"> };

/** Users per run, so that a run after a long stop does not delay the rest of the clean-up. */
const BATCH = 200;

/**
 * Creates a job that blocks the users whose last day is over in TIME_ZONE, each in a transaction of its own. Safe to run
 * in several processes: a conditional statement lets one of them block a user. The last administrator is not blocked; the
 * log says so once a day.
 */
export function createLastDayJob(): (context: LastDayDeps) => Promise<void> {
  const warned = new Set<string>();
  return async (context) => {
    const { store, clock, config, log } = context;
    const today = dayOf(clock.now(), config.timeZone);
    for (const user of await listUsersAfterLastDay(store, { today, limit: BATCH })) {
      try {
        await store.tx((tx) => endAfterLastDay({ ...context, store: tx }, user, today));
      } catch (error) {
        if (!hasCode(error, "last administrator")) throw error;
        const warning = `${today} ${user.id}`;
        if (warned.has(warning)) continue;
        log.warn({ user: user.username }, "last day over: the last administrator stays active");
        warned.add(warning);
      }
    }
  };
}
