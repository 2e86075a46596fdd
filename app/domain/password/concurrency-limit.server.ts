import { DomainError } from "#app/domain/errors.ts";
import { addressBucket } from "#app/domain/throttle/address-bucket.server.ts";
import { tellHash } from "./hash-channel.server.ts";

/**
 * On whose behalf a job runs: the account it is about and the network it was asked for from (`addressBucket`). Left out
 * where it does not apply, as with an administrator's command.
 */
export type Caller = { account?: string; address?: string };

/** The caller of a request about this account, from this client address. */
export function callerOf(account: string, address: string | null | undefined): Caller {
  return address ? { account, address: addressBucket(address) } : { account };
}

/** Runs a job in a free lane, or after those that wait; throws DomainError "overloaded" when it may not wait. */
export type InLane = <T>(job: () => Promise<T>, caller?: Caller) => Promise<T>;

/**
 * How many jobs of one account may wait; and how many of one address may wait in a full queue, when another address needs
 * the place.
 */
export const WAITING_PER_CALLER = 2;

type Waiting = { job: object; caller: Caller; proceed: () => void; refuse: (error: Error) => void };

/**
 * Bounds costly work: at most `lanes` jobs at once and at most `queueLimit` waiting, first come first served. At most two
 * jobs of an account wait. When the queue is full, a job whose address has fewer than two waiting takes the place of the
 * newest job of the address with the most, so that neither one user nor one network can keep the others out, while an
 * office behind one address may use an otherwise empty queue. An overload is reported at once and not after a wait.
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

  /** Whether this caller may wait; refuses another waiting job for it where needed. */
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
    // The lane goes from hand to hand: a newcomer cannot slip in before the one who waits.
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

/** Jobs without an address keep their places: no request asked for them. */
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
