import type { BackgroundStore, Store } from "#app/db/store.server.ts";
import { publishBatch } from "./channel.server.ts";

/** Size of the first batch; usually there are no more rows. */
const FIRST_ROWS = 20;
const FEWEST_ROWS = 5;
const MOST_ROWS = 200;

/** Target time for which a batch may block other writers. */
const TARGET_MS = 5;

/** Removes at most `batchSize` rows and returns how many. */
type Remove = (store: Store, batchSize: number) => Promise<number>;

/**
 * Calls `remove` until no rows are left, and returns how many were removed. After a full first batch it continues in
 * the background, in batches that block other writers for a few milliseconds each, with pauses in between.
 */
export async function inBatches(store: Store, remove: Remove): Promise<number> {
  const removed = await remove(store, FIRST_ROWS);
  if (removed < FIRST_ROWS) return removed;
  return removed + (await store.inBackground((background) => removeRest(background, remove)));
}

async function removeRest(store: BackgroundStore, remove: Remove): Promise<number> {
  let total = 0;
  for (let batchSize = FIRST_ROWS; ; ) {
    const removed = await remove(store, batchSize);
    const heldMs = await store.settle();
    publishBatch({ rows: removed, heldMs });
    total += removed;
    if (removed < batchSize) return total;
    batchSize = nextBatchSize(batchSize, heldMs);
  }
}

/** Returns the next batch size: half if the batch exceeded the target, 20 % more if it took less than half of it. */
function nextBatchSize(batchSize: number, heldMs: number): number {
  if (heldMs > TARGET_MS) return Math.max(FEWEST_ROWS, Math.floor(batchSize / 2));
  return heldMs < TARGET_MS / 2 ? Math.min(MOST_ROWS, Math.ceil(batchSize * 1.2)) : batchSize;
}
