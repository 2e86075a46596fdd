import { countLogouts, removeOldLogouts as removeFromQueue } from "#app/db/repositories/backchannel-logouts.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import type { Clock } from "#app/ports.ts";

/** How long a logout stays visible; no attempt is made after its first day. */
const LOGOUT_DAYS = 7;

const DAY_MS = 24 * 60 * 60 * 1000;

/** `oldestSeconds`: how long the oldest waiting logout has waited, 0 when none waits; `failed`: within the last day. */
export type LogoutQueueState = { waiting: number; oldestSeconds: number; failed: number };

/** Reads the state of the queue of back-channel logouts. */
export async function readLogoutQueue({ store, clock }: { store: Store; clock: Clock }): Promise<LogoutQueueState> {
  const now = clock.now().getTime();
  const { waiting, oldest, failed } = await countLogouts(store, { failedSince: new Date(now - DAY_MS) });
  return { waiting, failed, oldestSeconds: oldest === null ? 0 : Math.max(0, (now - oldest.getTime()) / 1000) };
}

/** Removes logouts a week after they were queued. */
export async function removeOldLogouts({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const before = new Date(clock.now().getTime() - LOGOUT_DAYS * DAY_MS);
  await inBatches(store, (part, batchSize) => removeFromQueue(part, { before, batchSize }));
}
