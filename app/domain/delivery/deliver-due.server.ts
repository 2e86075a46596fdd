import type { Clock } from "#app/ports.ts";

/** A queue of the database, as delivering sees it. */
export type DeliveryQueue<Row> = {
  clock: Clock;
  /** How many rows are delivered at once, so that a slow one does not hold up the others. */
  batchSize: number;
  /** Longer than any delivery takes: after that, other senders take over the rows of one that died. */
  claimMs: number;
  listDueIds(query: { now: Date; limit: number }): Promise<string[]>;
  /** Claims those of the rows that are still due and free, in one statement, and returns them. */
  claim(query: { ids: readonly string[]; now: Date; until: Date }): Promise<Row[]>;
  /** Delivers one row, or postpones it; returns whether it was delivered. */
  deliver(row: Row): Promise<boolean>;
};

/**
 * Delivers all rows that are due, and returns how many were delivered. Several processes may do this at once: each row is
 * claimed by one of them.
 * @param stopping ends it after the rows that are under way
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

/** When to try again after the attempt of this number, from 1 on; the last entry of the list holds for all that follow. */
export function nextAttemptAt(now: Date, attempts: number, backoffSeconds: readonly [number, ...number[]]): Date {
  const seconds = backoffSeconds[Math.min(attempts, backoffSeconds.length) - 1] ?? backoffSeconds[0];
  return new Date(now.getTime() + seconds * 1000);
}
