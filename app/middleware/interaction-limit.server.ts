import { assertNever } from "#app/domain/assert-never.ts";
import { sharesOf } from "#app/domain/throttle/network-limit.server.ts";
import type { InteractionEvent } from "#app/oidc/oidc.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";
import type { Clock } from "#app/ports.ts";

/**
 * How many authorization requests one address may leave unanswered in ten minutes (docs/operations.md): an IPv4 address or
 * an IPv6 /64; an IPv6 /56 four times, a /48 sixteen times as many. A completed sign-in gives its place back, so an office
 * of hundreds behind one address does not reach the limit by signing in. Requests that public clients push, and
 * those that a page starts again, are counted apart and give nothing back: they live for a minute.
 */
export const OPEN_INTERACTIONS_LIMIT = { points: 300, windowSeconds: 10 * 60 } as const;

/** A counter and how many places it has. */
export type PlaceCounter = { key: string; points: number };

/** A place that was taken in the counters with these keys, in the window that ends at `endsAt`. */
export type Place = { keys: readonly string[]; endsAt: number };

/** Counts by key in windows of fixed length, in the memory of this process: a refused request must write nothing. */
export type OpenInteractions = {
  /** Takes a place in all of the counters. Returns the seconds until the window ends when one of them has none left. */
  take(counters: readonly PlaceCounter[]): Place | { retryAfterSeconds: number };
  /** Gives a place back, unless its window is over. */
  giveBack(place: Place): void;
  /** Notes the interaction that a place was taken for. */
  assign(uid: string, place: Place): void;
  /** Passes the place of a finished interaction on to the next one of the same request, as consent after the sign-in. */
  passOn(uid: string, nextUid: string): void;
  /** Gives back the place of an interaction, when this process opened it in this window. */
  complete(uid: string): void;
};

/** The counters of a request from this address; pushed requests have counters of their own. */
export function countersOfRequest(address: string, isPushed: boolean): PlaceCounter[] {
  const prefix = isPushed ? "pushed/" : "";
  return sharesOf(address).map(({ network, factor }) => ({
    key: `${prefix}${network}`,
    points: OPEN_INTERACTIONS_LIMIT.points * factor,
  }));
}

/**
 * Takes a place in all of these counters or, where one has none left, in the counter of the live session. Returns the
 * seconds until the window ends where that has none left either.
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

/** The counter of a session, for requests from an address that has no places left. */
export function counterOfSession(uid: string): PlaceCounter {
  return { key: `session/${uid}`, points: OPEN_INTERACTIONS_LIMIT.points };
}

/** Makes a counter of open interactions; in the beginning no place is taken. */
export function createOpenInteractions(clock: Clock): OpenInteractions {
  const windowMs = OPEN_INTERACTIONS_LIMIT.windowSeconds * 1000;
  const taken = new Map<string, number>();
  const places = new Map<string, Place>();
  let endsAt = Number.NEGATIVE_INFINITY;

  /** The milliseconds that are left of the window; a new one begins where it is over, or the clock was put back. */
  function left(): number {
    const now = clock.now().getTime();
    if (now >= endsAt || endsAt - now > windowMs) {
      taken.clear();
      places.clear();
      endsAt = now + windowMs;
    }
    return endsAt - now;
  }

  function giveBack(place: Place): void {
    left();
    if (place.endsAt !== endsAt) return;
    for (const key of place.keys) {
      const count = taken.get(key) ?? 0;
      if (count > 1) taken.set(key, count - 1);
      else taken.delete(key);
    }
  }

  /** Removes an interaction and returns its place. */
  function remove(uid: string): Place | undefined {
    const place = places.get(uid);
    places.delete(uid);
    return place;
  }

  return {
    take(counters) {
      const leftMs = left();
      if (counters.some(({ key, points }) => (taken.get(key) ?? 0) >= points)) {
        return { retryAfterSeconds: Math.ceil(leftMs / 1000) };
      }
      for (const { key } of counters) taken.set(key, (taken.get(key) ?? 0) + 1);
      return { keys: counters.map(({ key }) => key), endsAt };
    },
    giveBack,
    assign(uid, place) {
      left();
      if (place.endsAt === endsAt) places.set(uid, place);
    },
    passOn(uid, nextUid) {
      const place = remove(uid);
      if (place) places.set(nextUid, place);
    },
    complete(uid) {
      const place = remove(uid);
      if (place) giveBack(place);
    },
  };
}

/**
 * The place of one request: `observe` follows what the engine does, `settle` gives the place back when no interaction has
 * it.
 */
export type PlaceOfRequest = { observe(event: InteractionEvent): void; settle(): void };

/** Makes the place that a request took, if it took one, the place of the interaction that the engine opens. */
export function followPlace(open: OpenInteractions, taken: Place | null): PlaceOfRequest {
  let held = taken;
  let endedUid: string | null = null;
  return {
    observe(event) {
      switch (event.kind) {
        case "interaction ended":
          endedUid = event.uid;
          break;
        case "interaction opened":
          if (endedUid) open.passOn(endedUid, event.uid);
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
      if (held) open.giveBack(held);
    },
  };
}
