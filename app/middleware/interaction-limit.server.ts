import { addressBucket } from "#app/domain/throttle/address-bucket.server.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";
import type { Clock } from "#app/ports.ts";

/**
 * How many authorization requests one address may leave unanswered in ten minutes (docs/operations.md). An interaction
 * that ends gives its place back, so an office of hundreds behind one address does not reach it by signing in. Requests
 * that public clients push, and those that a page starts again, are counted apart and give nothing back: they live for a
 * minute.
 */
export const OPEN_INTERACTIONS_LIMIT = { points: 300, windowSeconds: 10 * 60 } as const;

/** Counts by key in windows of fixed length, in the memory of this process: a refused request must write nothing. */
export type OpenInteractions = {
  /** Takes a place. Returns 0, or the seconds until the window ends when no place is left. */
  take(key: string): number;
  giveBack(key: string): void;
};

/** Makes a counter; every key begins with `limit.points` places. */
export function createOpenInteractions(clock: Clock, limit = OPEN_INTERACTIONS_LIMIT): OpenInteractions {
  const windowMs = limit.windowSeconds * 1000;
  const taken = new Map<string, number>();
  let endsAt = Number.NEGATIVE_INFINITY;

  /** The milliseconds that are left of the window; a new one begins where it is over, or the clock was put back. */
  function left(): number {
    const now = clock.now().getTime();
    if (now >= endsAt || endsAt - now > windowMs) {
      taken.clear();
      endsAt = now + windowMs;
    }
    return endsAt - now;
  }

  return {
    take(key) {
      const leftMs = left();
      const count = taken.get(key) ?? 0;
      if (count >= limit.points) return Math.ceil(leftMs / 1000);
      taken.set(key, count + 1);
      return 0;
    },
    giveBack(key) {
      left();
      const count = taken.get(key) ?? 0;
      if (count > 1) taken.set(key, count - 1);
      else taken.delete(key);
    },
  };
}

/** The keys under which the requests of an address are counted: interactions that it opened, requests that it pushed. */
export function placeKeys(address: string): { opened: string; pushed: string } {
  const bucket = addressBucket(address);
  return { opened: bucket, pushed: `pushed/${bucket}` };
}

/**
 * Takes a place of `key`, or where none is left, of the live session. Returns the key whose place was taken, and 0 or
 * the seconds to wait.
 */
export async function takePlaceOf(
  open: OpenInteractions,
  key: string,
  findSession: () => Promise<EngineSession | null>,
): Promise<{ key: string; retryAfterSeconds: number }> {
  const retryAfterSeconds = open.take(key);
  const session = retryAfterSeconds > 0 ? await findSession() : null;
  if (!session?.accountId) return { key, retryAfterSeconds };
  const own = `session/${session.uid}`;
  return { key: own, retryAfterSeconds: open.take(own) };
}
