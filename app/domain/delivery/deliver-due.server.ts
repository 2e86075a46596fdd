import type { Clock } from "#app/ports.ts";

/** Access of `deliverDue` to a queue in the database. */
type DeliveryQueue<Row> = {
  clock: Clock;
  /** Number of concurrent deliveries. */
  batchSize: number;
  /**
   * Lifetime of a claim; must exceed the longest delivery. Then other processes may claim the rows of a crashed one.
   */
  claimMs: number;
  listDueIds(query: { now: Date; limit: number }): Promise<string[]>;
  /** Claims those rows that are still due and unclaimed, in one statement, and returns them. */
  claim(query: { ids: readonly string[]; now: Date; until: Date }): Promise<Row[]>;
  /** Delivers one row, or postpones it; returns whether it was delivered. */
  deliver(row: Row): Promise<boolean>;
};

/**
 * Delivers all due rows and returns how many were delivered. Safe in several processes at once.
 * @param stopping ends the delivery after the current batch
 */
export async function deliverDue<Row>(queue: DeliveryQueue<Row>, stopping?: AbortSignal): Promise<number> {
  const { clock, batchSize, claimMs } = queue;
  let delivered = 0;
  while (!stopping?.aborted) {
    const now = clock.now();
    const ids = await queue.listDueIds({ now, limit: batchSize });
    if (ids.length === 0) break;
    const rows = await queue.claim({ ids, now, until: new Date(now.getTime() + claimMs) });
    const results = await Promise.allSettled(rows.map((row) => queue.deliver(row)));
    for (const result of results) {
      if (result.status === "rejected") throw result.reason;
      if (result.value) delivered += 1;
    }
  }
  return delivered;
}

/** Returns the time of the next attempt. `attempts`: attempts so far; the last delay applies to all further ones. */
export function nextAttemptAt(now: Date, attempts: number, backoffSeconds: readonly [number, ...number[]]): Date {
  const seconds = backoffSeconds[Math.min(attempts, backoffSeconds.length) - 1] ?? backoffSeconds[0];
  return new Date(now.getTime() + seconds * 1000);
}
