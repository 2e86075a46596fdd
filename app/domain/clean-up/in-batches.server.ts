import type { BackgroundStore, Store } from "#app/db/store.server.ts";
import { tellBatch } from "./channel.server.ts";

/** Rows of the first batch; most of the time there are no more. */
const FIRST_ROWS = 20;
const FEWEST_ROWS = 5;
const MOST_ROWS = 200;

/** For how long a batch may keep the others from the database. */
const GOAL_MS = 5;

/** Removes at most so many rows from this store; answers how many. */
type Remove = (store: Store, batchSize: number) => Promise<number>;

/**
 * Removes rows until there are none left to remove. Many of them go in the background, in batches that keep the others from
 * the database for some milliseconds each, with pauses as long as the work. Answers how many rows went.
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
    tellBatch({ rows: removed, heldMs });
    total += removed;
    if (removed < batchSize) return total;
    batchSize = fitting(batchSize, heldMs);
  }
}

/** Half as many rows when a batch took too long, more when it took less than half of what it may. */
function fitting(batchSize: number, heldMs: number): number {
  if (heldMs > GOAL_MS) return Math.max(FEWEST_ROWS, Math.floor(batchSize / 2));
  return heldMs < GOAL_MS / 2 ? Math.min(MOST_ROWS, Math.ceil(batchSize * 1.2)) : batchSize;
}
