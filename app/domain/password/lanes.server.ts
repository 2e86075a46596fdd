import { DomainError } from "#app/domain/errors.ts";
import { tellHash } from "./hash-channel.server.ts";

/** Runs a job in a free lane, or after those that wait; throws DomainError "overloaded" when too many wait already. */
export type InLane = <T>(job: () => Promise<T>) => Promise<T>;

/**
 * Bounds costly work: at most `lanes` jobs at once and at most `queueLimit` waiting, first come first served. An
 * overload is told at once and not after a long wait.
 */
export function createLanes({ lanes, queueLimit }: { lanes: number; queueLimit: number }): InLane {
  const waiting: (() => void)[] = [];
  let free = lanes;

  async function enter(job: object): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    if (waiting.length >= queueLimit) {
      tellHash(job, "refused");
      throw new DomainError("overloaded", { detail: `${waiting.length} password checks are waiting` });
    }
    tellHash(job, "waits");
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leave(): void {
    const next = waiting.shift();
    // The lane goes from hand to hand: a newcomer cannot slip in before the one who waits.
    if (next) next();
    else free += 1;
  }

  return async function inLane(job) {
    await enter(job);
    tellHash(job, "begins");
    try {
      return await job();
    } finally {
      tellHash(job, "ends");
      leave();
    }
  };
}
