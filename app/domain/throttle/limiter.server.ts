import RateLimiterRes from "rate-limiter-flexible/lib/RateLimiterRes.js";
import RateLimiterStoreAbstract from "rate-limiter-flexible/lib/RateLimiterStoreAbstract.js";
import {
  addAllRatePoints,
  addRatePoints,
  removeRateLimit,
  setRatePoints,
} from "#app/db/repositories/rate-limits.server.ts";
import type { RateLimit } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/** At most `points` counted events within `windowSeconds`, which begin with the first one. `name` starts the row's key. */
export type Limit = { name: string; points: number; windowSeconds: number };

/** What counting touches. Inside a transaction hand in the transaction's store. */
export type LimiterDeps = { store: Store; clock: Clock };

/** A counter of a limit. */
export type Count = { limiter: Limiter; key: string };

/**
 * Counts one event in several counters of different limits, in one statement, which always takes them in this order, so
 * that no two callers lock each other. Returns 0 when it is within all limits, else the seconds to wait for the first one
 * that is passed: then undo the transaction, unless the event shall stay counted.
 */
export async function countTogether(parts: LimiterDeps, counts: readonly Count[]): Promise<number> {
  const rows = await addTogether(parts, counts, 1);
  const now = parts.clock.now();
  const waits = counts.map(({ limiter }, index) => limiter.waitFor(rows[index], now));
  return waits.find((wait) => wait > 0) ?? 0;
}

/** Takes one event back from several counters, as `Limiter.takeBack` does from one, in one statement. */
export async function takeBackTogether(parts: LimiterDeps, counts: readonly Count[]): Promise<void> {
  await addTogether(parts, counts, -1);
}

function addTogether({ store, clock }: LimiterDeps, counts: readonly Count[], points: number): Promise<RateLimit[]> {
  const added = counts.map(({ limiter, key }) => {
    return { key: limiter.getKey(key), points, durationMs: limiter.duration * 1000 };
  });
  return addAllRatePoints(store, added, clock.now());
}

/**
 * A limit whose counters are rows of rate_limits: they survive a restart and hold for all processes on one database.
 * Each count is one atomic statement, so that of many at the same moment no two see the same number.
 */
export class Limiter extends RateLimiterStoreAbstract {
  constructor({ name, points, windowSeconds }: Limit) {
    super({ keyPrefix: name, points, duration: windowSeconds, storeClient: null });
  }

  /** Counts one event. Returns 0 when it is within the limit, else the seconds until the window ends, at least 1. */
  async count(parts: LimiterDeps, key: string): Promise<number> {
    try {
      return this.#secondsToWait(await this.consume(key, 1, parts));
    } catch (refusal) {
      // The library rejects with the counter itself, not with an error, where the limit is passed.
      if (refusal instanceof RateLimiterRes) return this.#secondsToWait(refusal);
      throw refusal;
    }
  }

  /**
   * Takes one counted event back, for one that turned out to be no failure. If its window is over by then, the next one
   * has room for one more.
   */
  async takeBack(parts: LimiterDeps, key: string): Promise<void> {
    await this.reward(key, 1, parts);
  }

  /** Forgets all events counted for this key. */
  async forget(parts: LimiterDeps, key: string): Promise<void> {
    await this.delete(key, parts);
  }

  /** The seconds that somebody with this counter waits at this time, 0 within the limit. */
  waitFor(row: RateLimit | undefined, now: Date): number {
    return row ? this.#secondsToWait(this._getRateLimiterRes(row.key, 1, { row, now })) : 0;
  }

  #secondsToWait(counter: RateLimiterRes): number {
    if (counter.consumedPoints <= this.points) return 0;
    return Math.max(1, Math.ceil(counter.msBeforeNext / 1000));
  }

  // From here on: what the library asks of a store.

  async _upsert(key: string, points: number, durationMs: number, forceExpire: boolean, { store, clock }: LimiterDeps) {
    const now = clock.now();
    const write = forceExpire ? setRatePoints : addRatePoints;
    return { row: await write(store, { key, points, durationMs, now }), now };
  }

  async _delete(key: string, { store }: LimiterDeps) {
    return removeRateLimit(store, key);
  }

  _getRateLimiterRes(_key: string, changedPoints: number, { row, now }: { row: RateLimit; now: Date }) {
    const msBeforeNext = row.expiresAt ? row.expiresAt.getTime() - now.getTime() : 0;
    return new RateLimiterRes(this.points - row.points, msBeforeNext, row.points, row.points === changedPoints);
  }
}
