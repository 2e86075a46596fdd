import { assertNever } from "#app/domain/base/assert-never.ts";
import { sharesOf } from "#app/domain/throttle/network-limit.server.ts";
import type { InteractionEvent } from "#app/oidc/oidc.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";
import type { Clock } from "#app/ports.ts";

/**
 * Open authorization requests per address in ten minutes (docs/operations.md): an IPv4 address or IPv6 /64 once, an
 * IPv6 /56 four times, a /48 sixteen times. A completed sign-in releases its slot, so many users behind one address do
 * not reach the limit by signing in. Requests that public clients push, and restarted ones, are counted separately and
 * release nothing: they expire after a minute.
 */
export const OPEN_INTERACTIONS_LIMIT = { points: 300, windowSeconds: 10 * 60 } as const;

/** A counter and its limit. */
export type SlotCounter = { key: string; points: number };

/** A slot taken in these counters, in the window that ends at `endsAt`. */
type Slot = { keys: readonly string[]; endsAt: number };

/** Fixed-window counters in the memory of this process: a refused request writes nothing to the database. */
export type OpenInteractions = {
  /** Takes a slot in every counter. Returns the seconds until the window ends if one of them is full. */
  acquire(counters: readonly SlotCounter[]): Slot | { retryAfterSeconds: number };
  /** Releases a slot, unless its window is over. */
  release(slot: Slot): void;
  /** Records the interaction that a slot was taken for. */
  assign(uid: string, slot: Slot): void;
  /** Passes the slot of a finished interaction to the next one of the request, e.g. consent after sign-in. */
  transfer(uid: string, nextUid: string): void;
  /** Releases the slot of an interaction that this process opened in this window. */
  complete(uid: string): void;
};

/** Returns the counters of an address; pushed requests have separate ones. */
export function countersOfRequest(address: string, isPushed: boolean): SlotCounter[] {
  const prefix = isPushed ? "pushed/" : "";
  return sharesOf(address).map(({ network, factor }) => ({
    key: `${prefix}${network}`,
    points: OPEN_INTERACTIONS_LIMIT.points * factor,
  }));
}

/**
 * Takes a slot in all of these counters or, if one is full, in the counter of the live session. Returns the seconds
 * until the window ends if that is full too.
 */
export async function acquireSlotOf(
  open: OpenInteractions,
  counters: readonly SlotCounter[],
  findSession: () => Promise<EngineSession | null>,
): Promise<Slot | { retryAfterSeconds: number }> {
  const acquired = open.acquire(counters);
  if (!("retryAfterSeconds" in acquired)) return acquired;
  const session = await findSession();
  return session?.accountId ? open.acquire([counterOfSession(session.uid)]) : acquired;
}

/** Returns the counter of a session, for requests from an address whose counters are full. */
export function counterOfSession(uid: string): SlotCounter {
  return { key: `session/${uid}`, points: OPEN_INTERACTIONS_LIMIT.points };
}

/** Creates the counters, with no slot taken. */
export function createOpenInteractions(clock: Clock): OpenInteractions {
  const windowMs = OPEN_INTERACTIONS_LIMIT.windowSeconds * 1000;
  const acquired = new Map<string, number>();
  const slots = new Map<string, Slot>();
  let endsAt = Number.NEGATIVE_INFINITY;

  /** Returns the milliseconds left of the window; starts a new one if it is over or the clock was set back. */
  function remainingMs(): number {
    const now = clock.now().getTime();
    if (now >= endsAt || endsAt - now > windowMs) {
      acquired.clear();
      slots.clear();
      endsAt = now + windowMs;
    }
    return endsAt - now;
  }

  function release(slot: Slot): void {
    remainingMs();
    if (slot.endsAt !== endsAt) return;
    for (const key of slot.keys) {
      const count = acquired.get(key) ?? 0;
      if (count > 1) acquired.set(key, count - 1);
      else acquired.delete(key);
    }
  }

  function remove(uid: string): Slot | undefined {
    const slot = slots.get(uid);
    slots.delete(uid);
    return slot;
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
    release,
    assign(uid, slot) {
      remainingMs();
      if (slot.endsAt === endsAt) slots.set(uid, slot);
    },
    transfer(uid, nextUid) {
      const slot = remove(uid);
      if (slot) slots.set(nextUid, slot);
    },
    complete(uid) {
      const slot = remove(uid);
      if (slot) release(slot);
    },
  };
}

/** The slot of one request. `observe` handles its interaction events; `settle` releases an unused slot. */
export type SlotOfRequest = { observe(event: InteractionEvent): void; settle(): void };

/** Assigns the slot of a request, if any, to the interaction that it opens. */
export function trackSlot(open: OpenInteractions, acquired: Slot | null): SlotOfRequest {
  let held = acquired;
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
