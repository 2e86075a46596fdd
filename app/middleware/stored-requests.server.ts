import { sharesOf } from "#app/domain/throttle/network-limit.server.ts";
import { MINUTE_SECONDS } from "#app/durations.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";
import type { Clock } from "#app/ports.ts";

/**
 * Limits of the requests that an address stores in ten minutes without an answer of a user (docs/operations.md): `points`
 * is the limit of an IPv4 address or IPv6 /64; a /56 has four times as many, a /48 sixteen times.
 * `request`: authorization requests that are too large for a URL, pushed by public clients, restarted by a page, or
 * referred to by a registration or a password reset. `provider-start`: sign-ins at an external provider, which all users
 * of an office may begin at one address in the same morning.
 */
export const STORED_REQUESTS_LIMIT = {
  points: { request: 300, "provider-start": 3000 },
  windowSeconds: 10 * MINUTE_SECONDS,
} as const;

/** A key of the points of `STORED_REQUESTS_LIMIT`. */
export type StoredKind = keyof typeof STORED_REQUESTS_LIMIT.points;

/** A counter and its limit. */
type Counter = { key: string; points: number };

/** A slot taken in these counters, in the window that ends at `endsAt`. */
type Slot = { keys: readonly string[]; endsAt: number };

/** Fixed-window counters in the memory of this process: a refused request writes nothing to the database. */
export type StoredRequests = {
  /** Takes a slot in every counter. Returns the seconds until the window ends if one of them is full. */
  acquire(counters: readonly Counter[]): Slot | { retryAfterSeconds: number };
  /** Releases a slot, unless its window is over. */
  release(slot: Slot): void;
};

/** Returns the counters of an address. */
export function countersOf(address: string, kind: StoredKind = "request"): Counter[] {
  const points = STORED_REQUESTS_LIMIT.points[kind];
  return sharesOf(address).map(({ network, factor }) => ({ key: `${kind}/${network}`, points: points * factor }));
}

/**
 * Takes a slot in the counters of this address or, if one is full, in the counter of the live session. Returns the
 * seconds until the window ends if that is full too; 0 if a slot was taken.
 */
export async function secondsUntilStorable(
  stored: StoredRequests,
  address: string,
  findSession: () => Promise<EngineSession | null>,
  kind: StoredKind = "request",
): Promise<number> {
  const acquired = stored.acquire(countersOf(address, kind));
  if (!("retryAfterSeconds" in acquired)) return 0;
  const session = await findSession();
  const ofSession = session?.accountId ? stored.acquire([counterOfSession(session.uid, kind)]) : acquired;
  return "retryAfterSeconds" in ofSession ? ofSession.retryAfterSeconds : 0;
}

/** Returns the counter of a session, for requests from an address whose counters are full. */
export function counterOfSession(uid: string, kind: StoredKind = "request"): Counter {
  return { key: `${kind}/session/${uid}`, points: STORED_REQUESTS_LIMIT.points[kind] };
}

/** Creates the counters, with no slot taken. */
export function createStoredRequests(clock: Clock): StoredRequests {
  const windowMs = STORED_REQUESTS_LIMIT.windowSeconds * 1000;
  const acquired = new Map<string, number>();
  let endsAt = Number.NEGATIVE_INFINITY;

  /** Returns the milliseconds left of the window; starts a new one if it is over or the clock was set back. */
  function remainingMs(): number {
    const now = clock.now().getTime();
    if (now >= endsAt || endsAt - now > windowMs) {
      acquired.clear();
      endsAt = now + windowMs;
    }
    return endsAt - now;
  }

  return {
    acquire(counters) {
      const msLeft = remainingMs();
      if (counters.some(({ key, points }) => (acquired.get(key) ?? 0) >= points)) {
        return { retryAfterSeconds: Math.ceil(msLeft / 1000) };
      }
      for (const { key } of counters) acquired.set(key, (acquired.get(key) ?? 0) + 1);
      return { keys: counters.map(({ key }) => key), endsAt };
    },
    release(slot) {
      remainingMs();
      if (slot.endsAt !== endsAt) return;
      for (const key of slot.keys) {
        const count = acquired.get(key) ?? 0;
        if (count > 1) acquired.set(key, count - 1);
        else acquired.delete(key);
      }
    },
  };
}
