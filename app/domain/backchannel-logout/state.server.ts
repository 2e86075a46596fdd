import { countLogouts } from "#app/db/repositories/backchannel-logouts.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DAY_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";

/** `oldestSeconds`: how long the oldest waiting logout has waited, 0 when none waits; `failed`: within the last day. */
type LogoutQueueState = { waiting: number; oldestSeconds: number; failed: number };

/** Reads the state of the queue of back-channel logouts. */
export async function readLogoutQueue({ store, clock }: { store: Store; clock: Clock }): Promise<LogoutQueueState> {
  const now = clock.now().getTime();
  const { waiting, oldest, failed } = await countLogouts(store, { failedSince: new Date(now - DAY_MS) });
  return { waiting, failed, oldestSeconds: oldest === null ? 0 : Math.max(0, (now - oldest.getTime()) / 1000) };
}
