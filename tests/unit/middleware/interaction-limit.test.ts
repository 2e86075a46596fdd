import { expect, test } from "vitest";
import {
  counterOfSession,
  countersOfRequest,
  createOpenInteractions,
  OPEN_INTERACTIONS_LIMIT,
  type SlotCounter,
  trackSlot,
} from "#app/middleware/interaction-limit.server.ts";

const { points, windowSeconds } = OPEN_INTERACTIONS_LIMIT;

let now = new Date("2026-03-02T08:00:00Z");
const open = () => createOpenInteractions({ now: () => now });

const ofAddress = (address: string) => countersOfRequest(address, false);

/** Reserves a slot for a request that opens an interaction. Returns whether one was free. */
function openInteraction(slots: ReturnType<typeof open>, counters: readonly SlotCounter[], uid: string): boolean {
  const taken = slots.acquire(counters);
  if ("retryAfterSeconds" in taken) return false;
  const slot = trackSlot(slots, taken);
  slot.observe({ kind: "interaction opened", uid });
  slot.settle();
  return true;
}

/** Opens `count` interactions; none may be refused. */
function fill(slots: ReturnType<typeof open>, counters: readonly SlotCounter[], count: number) {
  for (let opened = 0; opened < count; opened += 1) {
    expect(openInteraction(slots, counters, `${counters[0]?.key}-${opened}`)).toBe(true);
  }
}

/** Resumes an interaction; `then` is the next interaction of the request, null for a response to the application. */
function resume(slots: ReturnType<typeof open>, uid: string, then: string | null) {
  const slot = trackSlot(slots, null);
  slot.observe({ kind: "interaction ended", uid });
  slot.observe(then === null ? { kind: "authorization completed" } : { kind: "interaction opened", uid: then });
  slot.settle();
}

test.each([
  ["/56", 4, (subnet: number) => `2001:db8:1:ab${subnet.toString(16).padStart(2, "0")}::1`, "2001:db8:1:ac00::1"],
  ["/48", 16, (subnet: number) => `2001:db8:1:${subnet.toString(16).padStart(2, "0")}00::1`, "2001:db8:2::1"],
])("the /64 networks of an IPv6 %s have %i times the slots of one together", (_network, factor, address, other) => {
  const slots = open();
  for (let subnet = 0; subnet < factor; subnet += 1) {
    fill(slots, ofAddress(address(subnet)), points);
    expect(openInteraction(slots, ofAddress(address(subnet)), "more")).toBe(false);
  }
  expect(openInteraction(slots, ofAddress(address(0x77)), "more")).toBe(false);
  expect(openInteraction(slots, ofAddress(other), "more")).toBe(true);
});

test("an IPv4 address has slots of its own, and pushed requests have others", () => {
  const slots = open();
  fill(slots, ofAddress("192.0.2.1"), points);
  expect(openInteraction(slots, ofAddress("192.0.2.1"), "more")).toBe(false);
  expect(openInteraction(slots, ofAddress("::ffff:192.0.2.1"), "more")).toBe(false);
  expect(openInteraction(slots, ofAddress("192.0.2.2"), "more")).toBe(true);
  expect(openInteraction(slots, countersOfRequest("192.0.2.1", true), "more")).toBe(true);
});

test("a completed sign-in releases its slot, once, and no other", () => {
  const slots = open();
  const [address, session] = [ofAddress("192.0.2.1"), [counterOfSession("s")]];
  fill(slots, address, points);
  fill(slots, session, points);
  resume(slots, "session/s-0", null);
  resume(slots, "session/s-0", null);
  resume(slots, "never-opened-here", null);
  expect(openInteraction(slots, address, "more")).toBe(false);
  expect(openInteraction(slots, session, "more")).toBe(true);
  expect(openInteraction(slots, session, "more")).toBe(false);
});

test("the step after a finished one keeps its slot until the request is completed", () => {
  const slots = open();
  const counters = ofAddress("192.0.2.1");
  fill(slots, counters, points);
  resume(slots, "192.0.2.1-0", "consent");
  expect(openInteraction(slots, counters, "more")).toBe(false);
  resume(slots, "consent", null);
  expect(openInteraction(slots, counters, "more")).toBe(true);
});

test("a request that opens no interaction releases its slot", () => {
  const slots = open();
  const counters = ofAddress("192.0.2.1");
  for (let count = 0; count < 2 * points; count += 1) {
    const taken = slots.acquire(counters);
    if ("retryAfterSeconds" in taken) throw new Error("no slot is left");
    const slot = trackSlot(slots, taken);
    slot.observe({ kind: "authorization completed" });
    slot.settle();
  }
});

test("a slot of an ended window is not released in the next one", () => {
  const slots = open();
  const counters = ofAddress("192.0.2.1");
  expect(openInteraction(slots, counters, "early")).toBe(true);
  const early = slots.acquire(counters);
  if ("retryAfterSeconds" in early) throw new Error("no slot is left");
  now = new Date(now.getTime() + windowSeconds * 1000);
  fill(slots, counters, points);
  resume(slots, "early", null);
  slots.release(early);
  expect(openInteraction(slots, counters, "more")).toBe(false);
});
