import { addAllRatePoints, findRateLimits, removeRateLimit } from "#app/db/repositories/rate-limits.server.ts";
import type { RateLimit } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/**
 * At most `points` events in a window of `windowSeconds`, which starts with the first event. `name` prefixes the row's
 * key.
 */
export type Limit = { name: string; points: number; windowSeconds: number };

/** In a transaction, pass the store of the transaction. */
export type LimiterDeps = { store: Store; clock: Clock };

/** One counter of a limit, for example that of a user. */
export type Count = { limiter: Limiter; key: string };

/** A limit and its counters. */
type Limiter = {
  /** Counts one event. Returns 0 within the limit, otherwise the seconds until the window ends, at least 1. */
  count(deps: LimiterDeps, key: string): Promise<number>;
  /** Deletes the counter of this key. */
  clear(deps: LimiterDeps, key: string): Promise<void>;
  /** Returns the primary key of a counter's row. */
  rowKey(key: string): string;
  /** Length of the window. */
  windowMs: number;
  /** Returns 0 if this counter, with `more` further events, is within the limit, otherwise the seconds to wait. */
  waitFor(row: RateLimit | null | undefined, now: Date, more: number): number;
};

/**
 * Creates a limit whose counters are rows of `rate_limits`, so that they survive a restart and are shared by all
 * processes. Each count is one atomic statement (`addAllRatePoints`): simultaneous callers get different numbers.
 */
export function createLimiter({ name, points, windowSeconds }: Limit): Limiter {
  const limiter: Limiter = {
    count: (deps, key) => countTogether(deps, [{ limiter, key }]),
    async clear({ store }, key) {
      await removeRateLimit(store, limiter.rowKey(key));
    },
    rowKey: (key) => `${name}:${key}`,
    windowMs: windowSeconds * 1000,
    waitFor(row, now, more) {
      if (!row || row.points + more <= points) return 0;
      const leftMs = row.expiresAt ? row.expiresAt.getTime() - now.getTime() : 0;
      return Math.max(1, Math.ceil(leftMs / 1000));
    },
  };
  return limiter;
}

/**
 * Counts one event in several counters of different limits with one statement, which takes them in this order, so that
 * simultaneous callers do not deadlock. Returns 0 within all limits, otherwise the seconds to wait for the first
 * exceeded one: then roll the transaction back, unless the event is to stay counted.
 */
export async function countTogether({ store, clock }: LimiterDeps, counts: readonly Count[]): Promise<number> {
  const now = clock.now();
  const added = counts.map(({ limiter, key }) => ({
    key: limiter.rowKey(key),
    points: 1,
    durationMs: limiter.windowMs,
  }));
  return firstWait(counts, await addAllRatePoints(store, added, now), { now, more: 0 });
}

/** Returns the seconds that one more event would have to wait now, like `countTogether`. Does not count it. */
export async function findWait(deps: LimiterDeps, counts: readonly Count[]): Promise<number> {
  const [wait = 0] = await findWaits(deps, counts);
  return wait;
}

/** Returns the result of `findWait` for each group of counters, with one statement. */
export async function findWaits(
  { store, clock }: LimiterDeps,
  ...groups: readonly (readonly Count[])[]
): Promise<number[]> {
  const now = clock.now();
  const keys = groups.flat().map(({ limiter, key }) => limiter.rowKey(key));
  const rows = await findRateLimits(store, keys, now);
  return groups.map((counts) => firstWait(counts, rows.splice(0, counts.length), { now, more: 1 }));
}

function firstWait(
  counts: readonly Count[],
  rows: readonly (RateLimit | null)[],
  { now, more }: { now: Date; more: number },
): number {
  const waits = counts.map(({ limiter }, index) => limiter.waitFor(rows[index], now, more));
  return waits.find((wait) => wait > 0) ?? 0;
}
