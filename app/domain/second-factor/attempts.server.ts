import { DomainError, hasCode } from "#app/domain/errors.ts";
import {
  type Count,
  countTogether,
  createLimiter,
  type Limit,
  type LimiterDeps,
  refundTogether,
} from "#app/domain/throttle/limiter.server.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Maximum failed second-factor attempts per user, over all tokens, paths and factors. Keep in step with
 * docs/security.md. With 15 codes per hour, of which at most 3 of a million are valid at a time, an attacker succeeds
 * with a probability below 1 in 10,000 per hour.
 */
export const FACTOR_LIMITS = {
  day: { name: "second-factor/day", points: 50, windowSeconds: 24 * HOUR },
  hour: { name: "second-factor/hour", points: 15, windowSeconds: HOUR },
  minutes: { name: "second-factor/minutes", points: 5, windowSeconds: 5 * MINUTE },
} as const satisfies Record<string, Limit>;

/** Longest window first, so that the longest wait is returned. The order is fixed to avoid deadlocks. */
const limiters = [FACTOR_LIMITS.day, FACTOR_LIMITS.hour, FACTOR_LIMITS.minutes].map((limit) => createLimiter(limit));

/**
 * Counts an attempt before its factor is checked, so that simultaneous attempts cannot exceed the limit. Returns 0, or
 * the seconds to wait; a throttled attempt is not counted. Do not call it in a transaction that may roll back, because
 * the attempt must stay counted.
 */
export async function admitFactorAttempt(deps: LimiterDeps, userId: string): Promise<number> {
  return countUnless(deps, userId, (wait) => wait === 0);
}

/** Returns the seconds that an attempt would have to wait now, or 0. Does not count. */
export async function findFactorWait(deps: LimiterDeps, userId: string): Promise<number> {
  return countUnless(deps, userId, () => false);
}

/**
 * Refunds the attempt that `admitFactorAttempt` counted for a correct factor. Earlier failures stay counted, so that
 * the user's success gives an attacker no new attempts.
 */
export async function refundFactorAttempt(deps: LimiterDeps, userId: string): Promise<void> {
  await refundTogether(deps, countsOf(userId));
}

/** Removes all counted attempts of a user, on behalf of an administrator. */
export async function clearFactorAttempts(deps: LimiterDeps, userId: string): Promise<void> {
  for (const limiter of limiters) await limiter.clear(deps, userId);
}

async function countUnless(
  { store, clock }: LimiterDeps,
  userId: string,
  isKept: (waitSeconds: number) => boolean,
): Promise<number> {
  let waitSeconds = 0;
  try {
    await store.tx(async (tx) => {
      waitSeconds = await countTogether({ store: tx, clock }, countsOf(userId));
      // Rolls back, so that throttled attempts cause no disk writes.
      if (!isKept(waitSeconds)) throw new DomainError("throttled");
    });
  } catch (error) {
    if (!hasCode(error, "throttled")) throw error;
  }
  return waitSeconds;
}

function countsOf(userId: string): Count[] {
  return limiters.map((limiter) => ({ limiter, key: userId }));
}
