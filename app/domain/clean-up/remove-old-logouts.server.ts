import { removeOldLogouts as removeFromQueue } from "#app/db/repositories/backchannel-logouts.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DAY_MS, MINUTE_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";
import { inBatches } from "./in-batches.server.ts";

/** Retention of logouts that failed or were never attempted. */
const KEPT_DAYS = 7;

/** Retention of delivered logouts; the log records the delivery. */
const DELIVERED_MINUTES = 10;

/** Removes delivered logouts after ten minutes, all others after a week. */
export async function removeOldLogouts({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const now = clock.now().getTime();
  const sentBefore = new Date(now - DELIVERED_MINUTES * MINUTE_MS);
  const before = new Date(now - KEPT_DAYS * DAY_MS);
  await inBatches({ store, clock }, (batchStore, batchSize) =>
    removeFromQueue(batchStore, { sentBefore, before, batchSize }),
  );
}
