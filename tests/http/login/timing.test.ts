import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { type OpenForm, openForm } from "./open-form.ts";

const WRONG = "Wrong-Window-27-Oak";
const ROUNDS = 20;
/** Attempts per user name between two waits, and rounds per day. */
const PER_ROUND = 10;
const ROUNDS_PER_DAY = 10;
const QUARTER_HOUR = 15 * 60;
/** On a noisy machine, repeat the measurement instead of widening the bound. */
const MAX_SERIES = 3;

/** Kinds of users, and the attempts of each in a round. */
const KINDS = { known: 10, unknown: 10, blocked: 2, empty: 2 } as const;
type Kind = keyof typeof KINDS;
type Times = Record<Kind, number[]>;

const server = await serverOfFile({ passwordChecks: "every" });
const party = await server.parties.create();
for (const username of ["known", "blocked", "empty"]) await server.users.create({ username });
await blockUser(server.context, "blocked");
const { t, q } = server.context.store;
await q.update(t.users).set({ passwordHash: null }).where(eq(t.users.usernameCanonical, "empty")).returning();

/** Alternates between the kinds, so that other load on the machine affects all of them alike. */
async function measure(times: Times) {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const form = await openForm(server.browser(), party.request().url);
    for (let count = 0; count < PER_ROUND; count += 1) {
      if (count < KINDS.blocked) times.blocked.push(await timeOf(form, "blocked"));
      times.known.push(await timeOf(form, "known"));
      times.unknown.push(await timeOf(form, "unknown"));
      if (count < KINDS.empty) times.empty.push(await timeOf(form, "empty"));
    }
    server.clock.advance(round % ROUNDS_PER_DAY === 0 ? DAY_SECONDS : QUARTER_HOUR + 1);
  }
}

async function timeOf(form: OpenForm, username: string) {
  const startedAt = performance.now();
  const { status } = await form.post({ username, password: WRONG });
  if (status !== 401) throw new Error(`${username} was not refused: ${status}`);
  return performance.now() - startedAt;
}

const ordered = (times: readonly number[]) => times.toSorted((one, other) => one - other);
const median = (times: readonly number[]) => ordered(times)[Math.floor(times.length / 2)] ?? Number.NaN;

/** Returns the difference of the medians, relative to the smaller one. */
function distance(one: readonly number[], other: readonly number[]) {
  const [small = Number.NaN, large = Number.NaN] = ordered([median(one), median(other)]);
  return large / small - 1;
}

/** Returns the share of pairs in which the first kind took longer; 0.5 if the times are indistinguishable. */
function shareLonger(one: readonly number[], other: readonly number[]) {
  const longer = one.flatMap((time) => other.map((rival) => Number(time > rival)));
  return longer.reduce<number>((sum, wins) => sum + wins, 0) / longer.length;
}

/** A wider bound, for kinds with fewer samples. */
function isAlike(times: Times, kind: keyof Times) {
  return distance(times.known, times[kind]) < 0.2;
}

describe("the time of a refusal", () => {
  // Proves requirement 18.
  test("does not reveal whether a user exists, is blocked or has a password", async () => {
    const times: Times = { known: [], unknown: [], blocked: [], empty: [] };
    for (let series = 0; series < MAX_SERIES; series += 1) {
      await measure(times);
      if (distance(times.known, times.unknown) < 0.05 && isAlike(times, "blocked") && isAlike(times, "empty")) break;
    }
    expect(times.known.length).toBeGreaterThanOrEqual(200);
    expect(distance(times.known, times.unknown)).toBeLessThan(0.05);
    for (const kind of ["unknown", "blocked", "empty"] as const) {
      expect([kind, isAlike(times, kind)]).toEqual([kind, true]);
      const share = shareLonger(times.known, times[kind]);
      expect([kind, Math.abs(share - 0.5) < 0.15, share]).toEqual([kind, true, share]);
    }
  }, 300_000);

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
    // The shortest times, because other load on the machine only lengthens them.
    expect(Math.min(...wrong) / Math.min(...right)).toBeGreaterThan(0.5);
  });
});
