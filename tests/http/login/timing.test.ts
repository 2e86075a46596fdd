import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer } from "#tests/support/server.ts";
import { type OpenForm, openForm } from "./open-form.ts";

const WRONG = "Wrong-Window-27-Oak";
const ATTEMPTS = 200;
/** Attempts of one kind that fit between two waits of a throttled user name. */
const PER_ROUND = 10;
const QUARTER_HOUR = 15 * 60;
/** A noisy machine gets more rounds, not a wider bound. */
const MAX_SERIES = 4;

const KINDS = ["known", "unknown", "blocked", "empty"] as const;
type Kind = (typeof KINDS)[number];
type Times = Record<Kind, number[]>;

let server: TestServer;
let party: RelyingParty;

beforeAll(async () => {
  server = await startServer();
  party = createRelyingParty({ issuer: server.url, client: await server.clients.create() });
});

afterAll(() => server?.close());

const nameOf = (kind: Kind, round: number) => `${kind}-${round}`;

/** The users of one round; each round has its own, so that no day's limit is reached. */
async function prepare(round: number) {
  for (const kind of ["known", "blocked", "empty"] as const)
    await server.users.create({ username: nameOf(kind, round) });
  await blockUser(server.context, nameOf("blocked", round));
  const { t, q } = server.context.store;
  const empty = eq(t.users.usernameCanonical, nameOf("empty", round));
  await q.update(t.users).set({ passwordHash: null }).where(empty).returning();
}

/** One attempt of each kind after the other, so that whatever else the machine does falls on all of them alike. */
async function measure(times: Times) {
  for (let round = 0; round < ATTEMPTS / PER_ROUND; round += 1) {
    const form = await openForm(server.browser(), party.request().url);
    for (let count = 0; count < PER_ROUND; count += 1) {
      for (const kind of KINDS) times[kind].push(await timeOf(form, nameOf(kind, round)));
    }
    server.clock.advance(QUARTER_HOUR + 1);
  }
}

async function timeOf(form: OpenForm, username: string) {
  const startedAt = performance.now();
  const { status } = await form.post({ username, password: WRONG });
  if (status !== 401) throw new Error(`${username} was not refused but answered with ${status}`);
  return performance.now() - startedAt;
}

const ordered = (times: readonly number[]) => times.toSorted((one, other) => one - other);
const median = (times: readonly number[]) => ordered(times)[Math.floor(times.length / 2)] ?? Number.NaN;

/** How far the medians are apart, as a part of the smaller one. */
function distance(one: readonly number[], other: readonly number[]) {
  const [small = Number.NaN, large = Number.NaN] = ordered([median(one), median(other)]);
  return large / small - 1;
}

/** How often a time of the first kind is the longer one; one half where nothing can be told from times. */
function shareLonger(one: readonly number[], other: readonly number[]) {
  const longer = one.flatMap((time) => other.map((rival) => Number(time > rival)));
  return longer.reduce<number>((sum, wins) => sum + wins, 0) / longer.length;
}

describe("the time of a refusal", () => {
  test("does not tell whether a user exists, is blocked or has a password", async () => {
    for (let round = 0; round < ATTEMPTS / PER_ROUND; round += 1) await prepare(round);
    const times: Times = { known: [], unknown: [], blocked: [], empty: [] };
    const others = KINDS.filter((kind) => kind !== "known");
    for (let series = 0; series < MAX_SERIES; series += 1) {
      await measure(times);
      if (others.every((kind) => distance(times.known, times[kind]) < 0.05)) break;
      server.clock.advance(24 * 60 * 60);
    }
    for (const kind of others) {
      expect([kind, distance(times.known, times[kind])]).toEqual([
        kind,
        expect.toSatisfy((part: number) => part < 0.05),
      ]);
      const share = shareLonger(times.known, times[kind]);
      expect([kind, share]).toEqual([kind, expect.toSatisfy((part: number) => part > 0.35 && part < 0.65)]);
    }
  }, 240_000);

  test("is not shorter than a right password's by a hash", async () => {
    const { username, password } = await server.users.create();
    const [wrong, right]: [number[], number[]] = [[], []];
    for (let count = 0; count < 9; count += 1) {
      const browser = server.browser();
      wrong.push(await timeOf(await openForm(browser, party.request().url), "nobody-at-all"));
      const form = await openForm(browser, party.request({ prompt: "login" }).url);
      const startedAt = performance.now();
      expect((await form.post({ username, password })).status).toBe(303);
      right.push(performance.now() - startedAt);
    }
    expect(median(wrong) / median(right)).toBeGreaterThan(0.5);
  });
});
