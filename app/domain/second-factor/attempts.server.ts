import { DomainError, hasCode } from "#app/domain/errors.ts";
import {
  type Count,
  countTogether,
  createLimiter,
  type Limit,
  type LimiterDeps,
  takeBackTogether,
} from "#app/domain/throttle/limiter.server.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * How many second factors are checked for one person without success, over all tokens, paths and kinds of factor (the
 * same numbers stand in docs/security.md). 15 codes an hour, of which at most 3 of a million are good at a time, leave a
 * guesser less than 1 in 10,000.
 */
export const FACTOR_LIMITS = {
  day: { name: "second-factor/day", points: 50, windowSeconds: 24 * HOUR },
  hour: { name: "second-factor/hour", points: 15, windowSeconds: HOUR },
  minutes: { name: "second-factor/minutes", points: 5, windowSeconds: 5 * MINUTE },
} as const satisfies Record<string, Limit>;

/** Long windows first, so that the wait that is told is the longest; always in one order, so that no two lock each other. */
const limiters = [FACTOR_LIMITS.day, FACTOR_LIMITS.hour, FACTOR_LIMITS.minutes].map((limit) => createLimiter(limit));

/**
 * Counts an attempt before its factor is checked, so that many at the same moment cannot all slip through. Returns 0
 * when it may go on, else the seconds to wait; an attempt that has to wait counts nowhere. Not to be called in a
 * transaction that may be undone: the attempt has to stay counted.
 */
export async function admitFactorAttempt(parts: LimiterDeps, userId: string): Promise<number> {
  return countOrUndo(parts, userId, (wait) => wait === 0);
}

/** The seconds that an attempt would have to wait now, 0 for none; counts nothing. */
export async function findFactorWait(parts: LimiterDeps, userId: string): Promise<number> {
  return countOrUndo(parts, userId, () => false);
}

/**
 * Takes back what `admitFactorAttempt` counted, for the right factor. Only this one attempt: earlier failures stay, so
 * that the owner's success does not hand a guesser new attempts.
 */
export async function takeBackFactorAttempt(parts: LimiterDeps, userId: string): Promise<void> {
  await takeBackTogether(parts, countsOf(userId));
}

/** Forgets every counted attempt of a person, on behalf of an administrator. */
export async function forgetFactorAttempts(parts: LimiterDeps, userId: string): Promise<void> {
  for (const limiter of limiters) await limiter.forget(parts, userId);
}

async function countOrUndo(
  { store, clock }: LimiterDeps,
  userId: string,
  keeps: (waitSeconds: number) => boolean,
): Promise<number> {
  let waitSeconds = 0;
  try {
    await store.tx(async (tx) => {
      waitSeconds = await countTogether({ store: tx, clock }, countsOf(userId));
      // Thrown to roll back: a flood of attempts that have to wait costs no write to the disk.
      if (!keeps(waitSeconds)) throw new DomainError("throttled");
    });
  } catch (error) {
    if (!hasCode(error, "throttled")) throw error;
  }
  return waitSeconds;
}

function countsOf(userId: string): Count[] {
  return limiters.map((limiter) => ({ limiter, key: userId }));
}
