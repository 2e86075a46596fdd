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

/** At most `points` events within `windowSeconds` of the first one. `name` is the prefix of the row's key. */
export type Limit = { name: string; points: number; windowSeconds: number };

/** Dependencies of the limiters. In a transaction, pass the transaction's store. */
export type LimiterDeps = { store: Store; clock: Clock };

/** A counter of a limiter. */
export type Count = { limiter: Limiter; key: string };

/**
 * Counts one event in several counters with one statement, in a fixed order to avoid deadlocks. Returns 0, or the
 * seconds to wait for the first exceeded limit; roll back then unless the event should stay counted.
 */
export async function countTogether(parts: LimiterDeps, counts: readonly Count[]): Promise<number> {
  const rows = await addTogether(parts, counts, 1);
  const now = parts.clock.now();
  const waits = counts.map(({ limiter }, index) => limiter.waitFor(rows[index], now));
  return waits.find((wait) => wait > 0) ?? 0;
}

/** Refunds one event in several counters, like `Limiter.takeBack`, with one statement. */
export async function takeBackTogether(parts: LimiterDeps, counts: readonly Count[]): Promise<void> {
  await addTogether(parts, counts, -1);
}

function addTogether({ store, clock }: LimiterDeps, counts: readonly Count[], points: number): Promise<RateLimit[]> {
  const added = counts.map(({ limiter, key }) => {
    return { key: limiter.getKey(key), points, durationMs: limiter.duration * 1000 };
  });
  return addAllRatePoints(store, added, clock.now());
}

/** A limit with counters in the table rate_limits, shared by all processes. Each count is one atomic statement. */
export class Limiter extends RateLimiterStoreAbstract {
  constructor({ name, points, windowSeconds }: Limit) {
    super({ keyPrefix: name, points, duration: windowSeconds, storeClient: null });
  }

  /** Counts one event. Returns 0, or the seconds until the window ends (at least 1) if the limit is exceeded. */
  async count(parts: LimiterDeps, key: string): Promise<number> {
    try {
      return this.#secondsToWait(await this.consume(key, 1, parts));
    } catch (refusal) {
      // The library rejects with a RateLimiterRes if the limit is exceeded.
      if (refusal instanceof RateLimiterRes) return this.#secondsToWait(refusal);
      throw refusal;
    }
  }

  /** Refunds one event. If its window is over, the next window allows one more. */
  async takeBack(parts: LimiterDeps, key: string): Promise<void> {
    await this.reward(key, 1, parts);
  }

  /** Removes the counter. */
  async forget(parts: LimiterDeps, key: string): Promise<void> {
    await this.delete(key, parts);
  }

  /** Returns the seconds to wait with this counter, or 0. */
  waitFor(row: RateLimit | undefined, now: Date): number {
    return row ? this.#secondsToWait(this._getRateLimiterRes(row.key, 1, { row, now })) : 0;
  }

  #secondsToWait(counter: RateLimiterRes): number {
    if (counter.consumedPoints <= this.points) return 0;
    return Math.max(1, Math.ceil(counter.msBeforeNext / 1000));
  }

  // Methods that RateLimiterStoreAbstract requires.

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
