import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "#app/db/store.server.ts";
import { instrumentation } from "#app/domain/audit/instrumentation.server.ts";
import type { Clock } from "#app/ports.ts";

/** Rows per statement: SQLite runs nothing else while it removes a batch and waits for the disk. */
const BATCH_ROWS = 50;

/** Pause between two batches. */
const PAUSE_MS = 5;

/** Waits so that other work can run. */
export const pause = () => sleep(PAUSE_MS);

/** Removes at most `batchSize` rows and returns how many. */
type Remove = (store: Store, batchSize: number) => Promise<number>;

/** Calls `remove` until no rows are left, with pauses, and returns how many were removed. */
export async function inBatches({ store, clock }: { store: Store; clock: Clock }, remove: Remove): Promise<number> {
  for (let total = 0; ; await pause()) {
    const startedAt = clock.now();
    const rows = await remove(store, BATCH_ROWS);
    if (rows > 0) instrumentation.emit("clean-up batch", { rows, heldMs: clock.now().getTime() - startedAt.getTime() });
    total += rows;
    if (rows < BATCH_ROWS) return total;
  }
}
