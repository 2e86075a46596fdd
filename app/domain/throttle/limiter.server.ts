import RateLimiterRes from "rate-limiter-flexible/lib/RateLimiterRes.js";
import RateLimiterStoreAbstract from "rate-limiter-flexible/lib/RateLimiterStoreAbstract.js";
import type { Clock } from "#app/context.server.ts";
import { addRatePoints, removeRateLimit, setRatePoints } from "#app/db/repositories/rate-limits.server.ts";
import type { RateLimit } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** At most `points` counted events within `windowSeconds`, which begin with the first one. `name` starts the row's key. */
export type Limit = { name: string; points: number; windowSeconds: number };

/** What counting touches. Inside a transaction hand in the transaction's store. */
export type LimiterParts = { store: Store; clock: Clock };

/**
 * A limit whose counters are rows of rate_limits: they survive a restart and hold for all processes on one database.
 * Each count is one atomic statement, so that of many at the same moment no two see the same number.
 */
export class Limiter extends RateLimiterStoreAbstract {
  constructor({ name, points, windowSeconds }: Limit) {
    super({ keyPrefix: name, points, duration: windowSeconds, storeClient: null });
  }

  /** Counts one event. Returns 0 when it is within the limit, else the seconds until the window ends, at least 1. */
  async count(parts: LimiterParts, key: string): Promise<number> {
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
  async takeBack(parts: LimiterParts, key: string): Promise<void> {
    await this.reward(key, 1, parts);
  }

  /** Forgets all events counted for this key. */
  async forget(parts: LimiterParts, key: string): Promise<void> {
    await this.delete(key, parts);
  }

  #secondsToWait(counter: RateLimiterRes): number {
    if (counter.consumedPoints <= this.points) return 0;
    return Math.max(1, Math.ceil(counter.msBeforeNext / 1000));
  }

  // From here on: what the library asks of a store.

  async _upsert(key: string, points: number, durationMs: number, forceExpire: boolean, { store, clock }: LimiterParts) {
    const now = clock.now();
    const write = forceExpire ? setRatePoints : addRatePoints;
    return { row: await write(store, { key, points, durationMs, now }), now };
  }

  async _delete(key: string, { store }: LimiterParts) {
    return removeRateLimit(store, key);
  }

  _getRateLimiterRes(_key: string, changedPoints: number, { row, now }: { row: RateLimit; now: Date }) {
    const msBeforeNext = row.expiresAt ? row.expiresAt.getTime() - now.getTime() : 0;
    return new RateLimiterRes(this.points - row.points, msBeforeNext, row.points, row.points === changedPoints);
  }
}
