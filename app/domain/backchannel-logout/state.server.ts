import { countLogouts, removeOldLogouts as removeFromQueue } from "#app/db/repositories/backchannel-logouts.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import type { Clock } from "#app/ports.ts";

/** Retention of logouts that failed or were never attempted. */
const KEPT_DAYS = 7;

/** Retention of delivered logouts; the log records the delivery. */
const DELIVERED_MINUTES = 10;

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** `oldestSeconds`: how long the oldest waiting logout has waited, 0 when none waits; `failed`: within the last day. */
type LogoutQueueState = { waiting: number; oldestSeconds: number; failed: number };

/** Reads the state of the queue of back-channel logouts. */
export async function readLogoutQueue({ store, clock }: { store: Store; clock: Clock }): Promise<LogoutQueueState> {
  const now = clock.now().getTime();
  const { waiting, oldest, failed } = await countLogouts(store, { failedSince: new Date(now - DAY_MS) });
  return { waiting, failed, oldestSeconds: oldest === null ? 0 : Math.max(0, (now - oldest.getTime()) / 1000) };
}

/** Removes delivered logouts after ten minutes, all others after a week. */
export async function removeOldLogouts({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const now = clock.now().getTime();
  const sentBefore = new Date(now - DELIVERED_MINUTES * MINUTE_MS);
  const before = new Date(now - KEPT_DAYS * DAY_MS);
  await inBatches({ store, clock }, (batchStore, batchSize) =>
    removeFromQueue(batchStore, { sentBefore, before, batchSize }),
  );
}
