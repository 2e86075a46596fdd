import type { Clock } from "#app/context.server.ts";
import { removeExpiredRateLimits } from "#app/db/repositories/rate-limits.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Rows removed by one statement: few, because it holds the only writer of a SQLite file. */
const BATCH = 50;

/** Removes the counters whose time is over, in small batches. */
export async function removeExpiredCounters({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const before = clock.now();
  while ((await removeExpiredRateLimits(store, { before, batchSize: BATCH })) === BATCH);
}
