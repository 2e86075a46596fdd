// Proves requirement 142.
import { expect, test } from "vitest";
import {
  counterOfSession,
  countersOf,
  createStoredRequests,
  STORED_REQUESTS_LIMIT,
  secondsUntilStorable,
} from "#app/middleware/stored-requests.server.ts";

const {
  points: { request: points },
  windowSeconds,
} = STORED_REQUESTS_LIMIT;

let now = new Date("2026-03-02T08:00:00Z");
const create = () => createStoredRequests({ now: () => now });

const noSession = async () => null;

const SESSION = { uid: "", accountId: "anna", authTime: null, signedInAt: null, amr: [], acr: null, generation: 0 };

/** Stores a request. Returns whether it was allowed. */
async function store(stored: ReturnType<typeof create>, address: string): Promise<boolean> {
  return (await secondsUntilStorable(stored, address, noSession)) === 0;
}

/** Stores `count` requests; none may be refused. */
async function fill(stored: ReturnType<typeof create>, address: string, count: number) {
  for (let done = 0; done < count; done += 1) expect(await store(stored, address)).toBe(true);
}

test.each([
  ["/56", 4, (subnet: number) => `2001:db8:1:ab${subnet.toString(16).padStart(2, "0")}::1`, "2001:db8:1:ac00::1"],
  ["/48", 16, (subnet: number) => `2001:db8:1:${subnet.toString(16).padStart(2, "0")}00::1`, "2001:db8:2::1"],
])(
  "the /64 networks of an IPv6 %s store %i times the requests of one together",
  async (_network, factor, address, other) => {
    const stored = create();
    for (let subnet = 0; subnet < factor; subnet += 1) {
      await fill(stored, address(subnet), points);
      expect(await store(stored, address(subnet))).toBe(false);
    }
    expect(await store(stored, address(0x77))).toBe(false);
    expect(await store(stored, other)).toBe(true);
  },
);

test("an IPv4 address has a limit of its own", async () => {
  const stored = create();
  await fill(stored, "192.0.2.1", points);
  expect(await store(stored, "192.0.2.1")).toBe(false);
  expect(await store(stored, "::ffff:192.0.2.1")).toBe(false);
  expect(await store(stored, "192.0.2.2")).toBe(true);
});

test("sign-ins at a provider have a limit of their own", async () => {
  const stored = create();
  const begin = async () => (await secondsUntilStorable(stored, "192.0.2.1", noSession, "provider-start")) === 0;
  for (let begun = 0; begun < STORED_REQUESTS_LIMIT.points["provider-start"]; begun += 1) {
    expect(await begin()).toBe(true);
  }
  expect(await begin()).toBe(false);
  expect(await store(stored, "192.0.2.1")).toBe(true);
});

test("a live session has a limit of its own, used when that of its address is reached", async () => {
  const stored = create();
  for (let taken = 0; taken < points; taken += 1) stored.acquire([counterOfSession("s")]);
  const session = async () => ({ ...SESSION, uid: "s" });
  const other = async () => ({ ...SESSION, uid: "other" });
  expect(await secondsUntilStorable(stored, "192.0.2.1", session)).toBe(0);
  await fill(stored, "192.0.2.1", points - 1);
  expect(await secondsUntilStorable(stored, "192.0.2.1", session)).toBe(windowSeconds);
  expect(await secondsUntilStorable(stored, "192.0.2.1", other)).toBe(0);
  expect(await secondsUntilStorable(stored, "192.0.2.1", async () => ({ ...SESSION, accountId: null }))).toBe(
    windowSeconds,
  );
});

test("a released slot is free again, but not in the next window", async () => {
  const stored = create();
  const counters = countersOf("192.0.2.1");
  const early = stored.acquire(counters);
  if ("retryAfterSeconds" in early) throw new Error("no slot is left");
  stored.release(early);
  await fill(stored, "192.0.2.1", points);
  expect(await store(stored, "192.0.2.1")).toBe(false);
  now = new Date(now.getTime() + windowSeconds * 1000);
  await fill(stored, "192.0.2.1", points);
  stored.release(early);
  expect(await store(stored, "192.0.2.1")).toBe(false);
});
