import { setTimeout as sleep } from "node:timers/promises";
import { isLockedByOthers } from "#app/db/errors.server.ts";
import { addRatePoints, removeRateLimit } from "#app/db/repositories/rate-limits.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/** Lifetime of a cached success, because each probe waits for the disk. A failure is not cached. */
const CACHE_MS = 5000;

/** Maximum wait for a probe; then the last result is returned, because a busy database is not a failure. */
const TIMEOUT_MS = 1000;

/** Key and values of the probe row; no rate limit uses this key. */
const PROBE = { key: "readiness", points: 1, durationMs: 1000 };

/**
 * Creates a function that checks that the database accepts writes: it adds and removes a row and waits for the commit.
 * It rejects with the cause while the disk is full, read-only or broken, and returns the last result while the database
 * is locked by another process. Every call throws if the SQLite file was replaced or deleted.
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
      if (isLockedByOthers(error)) return !hasFailed;
      hasFailed = true;
      throw error;
    }
    hasFailed = false;
    succeededAt = clock.now().getTime();
    return true;
  }

  return async () => {
    store.requireSameFile();
    // The age is negative after the clock was set back.
    const age = Math.abs(clock.now().getTime() - succeededAt);
    if (!hasFailed && age < CACHE_MS) return true;
    running ??= probe().finally(() => {
      running = null;
    });
    const timeout = new AbortController();
    const lastResult = sleep(TIMEOUT_MS, !hasFailed, { signal: timeout.signal });
    return Promise.race([running, lastResult]).finally(() => timeout.abort());
  };
}
