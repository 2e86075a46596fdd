import type { Clock } from "#app/ports.ts";

/**
 * How many authorization requests one address may leave unanswered in ten minutes (docs/operations.md). An interaction
 * that ends gives its place back, so an office of hundreds behind one address does not reach it by signing in. Requests
 * that public clients push are counted apart, and give nothing back: they live for a minute.
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
