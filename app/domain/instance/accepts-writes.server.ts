import { setTimeout as sleep } from "node:timers/promises";
import { isHeldByOthers } from "#app/db/errors.server.ts";
import { addRatePoints, removeRateLimit } from "#app/db/repositories/rate-limits.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/** For so long a success answers all who ask: each costs a wait for the disk. A failure is looked at anew. */
const GOOD_FOR_MS = 5000;

/** A database that others keep busy is no broken one: after this the last answer stands. */
const PATIENCE_MS = 1000;

/** A row that no counter has, and nobody ever sees. */
const PROBE = { key: "readiness", points: 1, durationMs: 1000 };

/**
 * Makes the question whether the database keeps what is written: a row is added and removed again, and the commit
 * awaited. It rejects, with the reason, while the disk is full, read-only or broken; while others hold the database, the
 * last answer stands. A SQLite file that was replaced or deleted is noticed at every call.
 */
export function createWriteProbe({ store, clock }: { store: Store; clock: Clock }): () => Promise<boolean> {
  let succeededAt = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  let running: Promise<boolean> | null = null;

  async function probe(): Promise<boolean> {
    try {
      await store.tx(async (tx) => {
        await addRatePoints(tx, { ...PROBE, now: clock.now() });
        await removeRateLimit(tx, PROBE.key);
      });
    } catch (error) {
      if (isHeldByOthers(error)) return !hasFailed;
      hasFailed = true;
      throw error;
    }
    hasFailed = false;
    succeededAt = clock.now().getTime();
    return true;
  }

  return async () => {
    store.requireSameFile();
    // A clock that was put back must not make it true for ever.
    const age = Math.abs(clock.now().getTime() - succeededAt);
    if (!hasFailed && age < GOOD_FOR_MS) return true;
    running ??= probe().finally(() => {
      running = null;
    });
    const patience = new AbortController();
    const lastAnswer = sleep(PATIENCE_MS, !hasFailed, { signal: patience.signal });
    return Promise.race([running, lastAnswer]).finally(() => patience.abort());
  };
}
