import { DomainError } from "#app/domain/errors.ts";
import { addressBucket } from "#app/domain/throttle/address-bucket.server.ts";
import { tellHash } from "./hash-channel.server.ts";

/** Account of a job and network of its request (`addressBucket`). Both are absent for an administrator's command. */
export type Caller = { account?: string; address?: string };

/** Returns the caller for an account and a client address. */
export function callerOf(account: string, address: string | null | undefined): Caller {
  return address ? { account, address: addressBucket(address) } : { account };
}

/** Runs a job when the concurrency limit allows it. Throws DomainError "overloaded" when the job may not wait. */
export type InLane = <T>(job: () => Promise<T>, caller?: Caller) => Promise<T>;

/** Maximum number of waiting jobs per account, and number of places an address keeps in a full queue. */
export const WAITING_PER_CALLER = 2;

type Waiting = { job: object; caller: Caller; proceed: () => void; refuse: (error: Error) => void };

/**
 * Creates a concurrency limit: at most `lanes` jobs run at once and at most `queueLimit` wait, first in, first out. At
 * most two jobs per account wait. In a full queue, a job whose address has fewer than two waiting jobs replaces the
 * newest job of the address with the most, so that no user or network blocks the others.
 */
export function createConcurrencyLimit({ lanes, queueLimit }: { lanes: number; queueLimit: number }): InLane {
  const waiting: Waiting[] = [];
  let free = lanes;

  async function enter(job: object, caller: Caller): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    if (!makeRoom(caller)) {
      tellHash(job, "refused");
      throw overloaded(waiting.length);
    }
    tellHash(job, "waits");
    await new Promise<void>((proceed, refuse) => waiting.push({ job, caller, proceed, refuse }));
  }

  /** Returns true if this caller may wait. Evicts another waiting job if the queue is full. */
  function makeRoom({ account, address }: Caller): boolean {
    const ofAccount = waiting.filter(({ caller }) => caller.account === account);
    if (account !== undefined && ofAccount.length >= WAITING_PER_CALLER) return false;
    if (waiting.length < queueLimit) return true;
    const counts = countByAddress(waiting);
    if (address === undefined || (counts.get(address) ?? 0) >= WAITING_PER_CALLER) return false;
    const [busiest, most] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
    if (most === undefined || most <= WAITING_PER_CALLER) return false;
    const index = waiting.findLastIndex(({ caller }) => caller.address === busiest);
    const [evicted] = waiting.splice(index, 1);
    if (evicted === undefined) return false;
    tellHash(evicted.job, "refused");
    evicted.refuse(overloaded(queueLimit));
    return true;
  }

  function leave(): void {
    const next = waiting.shift();
    // Passes the slot on directly, so that a new job cannot overtake a waiting one.
    if (next) next.proceed();
    else free += 1;
  }

  return async function inLane(job, caller = {}) {
    await enter(job, caller);
    tellHash(job, "begins");
    try {
      return await job();
    } finally {
      tellHash(job, "ends");
      leave();
    }
  };
}

/** Counts waiting jobs by address. Jobs without an address are not counted and therefore never evicted. */
function countByAddress(waiting: readonly Waiting[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { address } of waiting.map(({ caller }) => caller)) {
    if (address !== undefined) counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  return counts;
}

function overloaded(count: number): DomainError {
  return new DomainError("overloaded", { detail: `${count} password checks are waiting` });
}
