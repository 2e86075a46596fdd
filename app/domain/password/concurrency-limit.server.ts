import { type HashPhase, instrumentation } from "#app/domain/audit/instrumentation.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { addressBucket } from "#app/domain/throttle/address-bucket.server.ts";

/** Account of a job and network of its request (`addressBucket`). Both are absent for an administrator's command. */
export type Caller = { account?: string; address?: string };

/** Returns the caller for an account and a client address. */
export function callerOf(account: string, address: string | null | undefined): Caller {
  return address ? { account, address: addressBucket(address) } : { account };
}

/** Runs a job when the concurrency limit allows it. Throws DomainError "overloaded" when the job may not wait. */
type LimitedRun = <T>(job: () => Promise<T>, caller?: Caller) => Promise<T>;

/** Maximum number of waiting jobs per account, and number of places an address keeps in a full queue. */
const WAITING_PER_CALLER = 2;

type Waiting = { job: object; caller: Caller; resolve: () => void; reject: (error: Error) => void };

/**
 * Creates a concurrency limit: at most `concurrency` jobs run at once and at most `queueLimit` wait, first in, first out. At
 * most two jobs per account wait. In a full queue, a job whose address has fewer than two waiting jobs replaces the
 * newest job of the address with the most, so that no user or network blocks the others (decision 030). p-limit and
 * p-queue cannot remove a single waiting job.
 */
export function createConcurrencyLimit({
  concurrency,
  queueLimit,
}: {
  concurrency: number;
  queueLimit: number;
}): LimitedRun {
  const waiting: Waiting[] = [];
  let free = concurrency;

  async function acquire(job: object, caller: Caller): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    if (!makeRoom(caller)) {
      emitPhase(job, "refused");
      throw overloaded(waiting.length);
    }
    emitPhase(job, "waits");
    await new Promise<void>((resolve, reject) => waiting.push({ job, caller, resolve, reject }));
  }

  /** Returns true if this caller may wait. Evicts another waiting job if the queue is full. */
  function makeRoom({ account, address }: Caller): boolean {
    const jobsOfAccount = waiting.filter(({ caller }) => caller.account === account);
    if (account !== undefined && jobsOfAccount.length >= WAITING_PER_CALLER) return false;
    if (waiting.length < queueLimit) return true;
    const counts = countByAddress(waiting);
    if (address === undefined || (counts.get(address) ?? 0) >= WAITING_PER_CALLER) return false;
    const [busiest, most] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
    if (most === undefined || most <= WAITING_PER_CALLER) return false;
    const index = waiting.findLastIndex(({ caller }) => caller.address === busiest);
    const [evicted] = waiting.splice(index, 1);
    if (evicted === undefined) return false;
    emitPhase(evicted.job, "refused");
    evicted.reject(overloaded(queueLimit));
    return true;
  }

  function release(): void {
    const next = waiting.shift();
    // Passes the slot on directly, so that a new job cannot overtake a waiting one.
    if (next) next.resolve();
    else free += 1;
  }

  return async function runLimited(job, caller = {}) {
    await acquire(job, caller);
    emitPhase(job, "begins");
    try {
      return await job();
    } finally {
      emitPhase(job, "ends");
      release();
    }
  };
}

function emitPhase(job: object, phase: HashPhase["phase"]): void {
  instrumentation.emit("password hash", { job, phase });
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
