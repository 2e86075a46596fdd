import { assertNever } from "#app/domain/assert-never.ts";
import { sharesOf } from "#app/domain/throttle/network-limit.server.ts";
import type { InteractionEvent } from "#app/oidc/oidc.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";
import type { Clock } from "#app/ports.ts";

/**
 * Open authorization requests per address in ten minutes (docs/operations.md): an IPv4 address or IPv6 /64 once, an
 * IPv6 /56 four times, a /48 sixteen times. A completed sign-in releases its place, so many users behind one address do
 * not reach the limit by signing in. Requests that public clients push, and restarted ones, are counted separately and
 * release nothing: they live for a minute.
 */
export const OPEN_INTERACTIONS_LIMIT = { points: 300, windowSeconds: 10 * 60 } as const;

/** A counter and its limit. */
export type PlaceCounter = { key: string; points: number };

/** A place taken in these counters, in the window that ends at `endsAt`. */
export type Place = { keys: readonly string[]; endsAt: number };

/** Fixed-window counters in the memory of this process: a refused request writes nothing to the database. */
export type OpenInteractions = {
  /** Takes a place in every counter. Returns the seconds until the window ends if one of them is full. */
  take(counters: readonly PlaceCounter[]): Place | { retryAfterSeconds: number };
  /** Releases a place, unless its window is over. */
  release(place: Place): void;
  /** Records the interaction that a place was taken for. */
  assign(uid: string, place: Place): void;
  /** Passes the place of a finished interaction to the next one of the request, e.g. consent after sign-in. */
  transfer(uid: string, nextUid: string): void;
  /** Releases the place of an interaction that this process opened in this window. */
  complete(uid: string): void;
};

/** Returns the counters of an address; pushed requests have separate ones. */
export function countersOfRequest(address: string, isPushed: boolean): PlaceCounter[] {
  const prefix = isPushed ? "pushed/" : "";
  return sharesOf(address).map(({ network, factor }) => ({
    key: `${prefix}${network}`,
    points: OPEN_INTERACTIONS_LIMIT.points * factor,
  }));
}

/**
 * Takes a place in all of these counters or, if one is full, in the counter of the live session. Returns the seconds
 * until the window ends if that is full too.
 */
export async function takePlaceOf(
  open: OpenInteractions,
  counters: readonly PlaceCounter[],
  findSession: () => Promise<EngineSession | null>,
): Promise<Place | { retryAfterSeconds: number }> {
  const taken = open.take(counters);
  if (!("retryAfterSeconds" in taken)) return taken;
  const session = await findSession();
  return session?.accountId ? open.take([counterOfSession(session.uid)]) : taken;
}

/** Returns the counter of a session, for requests from an address whose counters are full. */
export function counterOfSession(uid: string): PlaceCounter {
  return { key: `session/${uid}`, points: OPEN_INTERACTIONS_LIMIT.points };
}

/** Creates the counters, with no place taken. */
export function createOpenInteractions(clock: Clock): OpenInteractions {
  const windowMs = OPEN_INTERACTIONS_LIMIT.windowSeconds * 1000;
  const taken = new Map<string, number>();
  const places = new Map<string, Place>();
  let endsAt = Number.NEGATIVE_INFINITY;

  /** Returns the milliseconds left of the window; starts a new one if it is over or the clock was set back. */
  function remainingMs(): number {
    const now = clock.now().getTime();
    if (now >= endsAt || endsAt - now > windowMs) {
      taken.clear();
      places.clear();
      endsAt = now + windowMs;
    }
    return endsAt - now;
  }

  function release(place: Place): void {
    remainingMs();
    if (place.endsAt !== endsAt) return;
    for (const key of place.keys) {
      const count = taken.get(key) ?? 0;
      if (count > 1) taken.set(key, count - 1);
      else taken.delete(key);
    }
  }

  function remove(uid: string): Place | undefined {
    const place = places.get(uid);
    places.delete(uid);
    return place;
  }

  return {
    take(counters) {
      const leftMs = remainingMs();
      if (counters.some(({ key, points }) => (taken.get(key) ?? 0) >= points)) {
        return { retryAfterSeconds: Math.ceil(leftMs / 1000) };
      }
      for (const { key } of counters) taken.set(key, (taken.get(key) ?? 0) + 1);
      return { keys: counters.map(({ key }) => key), endsAt };
    },
    release,
    assign(uid, place) {
      remainingMs();
      if (place.endsAt === endsAt) places.set(uid, place);
    },
    transfer(uid, nextUid) {
      const place = remove(uid);
      if (place) places.set(nextUid, place);
    },
    complete(uid) {
      const place = remove(uid);
      if (place) release(place);
    },
  };
}

/** The place of one request. `observe` handles its interaction events; `settle` releases an unused place. */
export type PlaceOfRequest = { observe(event: InteractionEvent): void; settle(): void };

/** Assigns the place of a request, if any, to the interaction that it opens. */
export function trackPlace(open: OpenInteractions, taken: Place | null): PlaceOfRequest {
  let held = taken;
  let endedUid: string | null = null;
  return {
    observe(event) {
      switch (event.kind) {
        case "interaction ended":
          endedUid = event.uid;
          break;
        case "interaction opened":
          if (endedUid) open.transfer(endedUid, event.uid);
          else if (held) open.assign(event.uid, held);
          held = null;
          break;
        case "authorization completed":
          if (endedUid) open.complete(endedUid);
          break;
        case "request pushed":
          held = null;
          break;
        default:
          assertNever(event);
      }
    },
    settle() {
      if (held) open.release(held);
    },
  };
}
