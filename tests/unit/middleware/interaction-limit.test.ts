import { expect, test } from "vitest";
import {
  counterOfSession,
  countersOfRequest,
  createOpenInteractions,
  OPEN_INTERACTIONS_LIMIT,
  type PlaceCounter,
  trackPlace,
} from "#app/middleware/interaction-limit.server.ts";

const { points, windowSeconds } = OPEN_INTERACTIONS_LIMIT;

let now = new Date("2026-03-02T08:00:00Z");
const open = () => createOpenInteractions({ now: () => now });

const ofAddress = (address: string) => countersOfRequest(address, false);

/** Reserves a place for a request that opens an interaction. Returns whether one was free. */
function openInteraction(places: ReturnType<typeof open>, counters: readonly PlaceCounter[], uid: string): boolean {
  const taken = places.take(counters);
  if ("retryAfterSeconds" in taken) return false;
  const place = trackPlace(places, taken);
  place.observe({ kind: "interaction opened", uid });
  place.settle();
  return true;
}

/** Opens `count` interactions; none may be refused. */
function fill(places: ReturnType<typeof open>, counters: readonly PlaceCounter[], count: number) {
  for (let opened = 0; opened < count; opened += 1) {
    expect(openInteraction(places, counters, `${counters[0]?.key}-${opened}`)).toBe(true);
  }
}

/** Resumes an interaction; `then` is the next interaction of the request, null for a response to the application. */
function resume(places: ReturnType<typeof open>, uid: string, then: string | null) {
  const place = trackPlace(places, null);
  place.observe({ kind: "interaction ended", uid });
  place.observe(then === null ? { kind: "authorization completed" } : { kind: "interaction opened", uid: then });
  place.settle();
}

test.each([
  ["/56", 4, (subnet: number) => `2001:db8:1:ab${subnet.toString(16).padStart(2, "0")}::1`, "2001:db8:1:ac00::1"],
  ["/48", 16, (subnet: number) => `2001:db8:1:${subnet.toString(16).padStart(2, "0")}00::1`, "2001:db8:2::1"],
])("the /64 networks of an IPv6 %s have %i times the places of one together", (_network, factor, address, other) => {
  const places = open();
  for (let subnet = 0; subnet < factor; subnet += 1) {
    fill(places, ofAddress(address(subnet)), points);
    expect(openInteraction(places, ofAddress(address(subnet)), "more")).toBe(false);
  }
  expect(openInteraction(places, ofAddress(address(0x77)), "more")).toBe(false);
  expect(openInteraction(places, ofAddress(other), "more")).toBe(true);
});

test("an IPv4 address has places of its own, and pushed requests have others", () => {
  const places = open();
  fill(places, ofAddress("192.0.2.1"), points);
  expect(openInteraction(places, ofAddress("192.0.2.1"), "more")).toBe(false);
  expect(openInteraction(places, ofAddress("::ffff:192.0.2.1"), "more")).toBe(false);
  expect(openInteraction(places, ofAddress("192.0.2.2"), "more")).toBe(true);
  expect(openInteraction(places, countersOfRequest("192.0.2.1", true), "more")).toBe(true);
});

test("a completed sign-in releases its place, once, and no other", () => {
  const places = open();
  const [address, session] = [ofAddress("192.0.2.1"), [counterOfSession("s")]];
  fill(places, address, points);
  fill(places, session, points);
  resume(places, "session/s-0", null);
  resume(places, "session/s-0", null);
  resume(places, "never-opened-here", null);
  expect(openInteraction(places, address, "more")).toBe(false);
  expect(openInteraction(places, session, "more")).toBe(true);
  expect(openInteraction(places, session, "more")).toBe(false);
});

test("the step after a finished one keeps its place until the request is completed", () => {
  const places = open();
  const counters = ofAddress("192.0.2.1");
  fill(places, counters, points);
  resume(places, "192.0.2.1-0", "consent");
  expect(openInteraction(places, counters, "more")).toBe(false);
  resume(places, "consent", null);
  expect(openInteraction(places, counters, "more")).toBe(true);
});

test("a request that opens no interaction releases its place", () => {
  const places = open();
  const counters = ofAddress("192.0.2.1");
  for (let count = 0; count < 2 * points; count += 1) {
    const taken = places.take(counters);
    if ("retryAfterSeconds" in taken) throw new Error("no slot is left");
    const place = trackPlace(places, taken);
    place.observe({ kind: "authorization completed" });
    place.settle();
  }
});

test("a place of an ended window is not released in the next one", () => {
  const places = open();
  const counters = ofAddress("192.0.2.1");
  expect(openInteraction(places, counters, "early")).toBe(true);
  const early = places.take(counters);
  if ("retryAfterSeconds" in early) throw new Error("no slot is left");
  now = new Date(now.getTime() + windowSeconds * 1000);
  fill(places, counters, points);
  resume(places, "early", null);
  places.release(early);
  expect(openInteraction(places, counters, "more")).toBe(false);
});
