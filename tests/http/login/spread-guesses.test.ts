import { beforeEach, describe, expect, test } from "vitest";
import { countAttempt, countFailure, GUESSING_LIMITS } from "#app/domain/password/throttle.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { limitsInManual } from "#tests/support/security-manual.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { readText } from "#tests/support/source-tree.ts";
import { openForm } from "./open-form.ts";

const ADMINISTRATOR = "it@office.example";
let anna: TestUser;
let names = 0;

// Requests choose their address with a forwarding header.
const server = await serverOfFile({ env: { TRUST_PROXY: "127.0.0.1/32,::1/128", ADMIN_MAIL: ADMINISTRATOR } });
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  anna = await server.users.create();
  server.clock.advance(2 * HOUR_SECONDS);
});

/** Makes one attempt with a new user name and a wrong password; with `right`, with Anna's. */
async function attempt(address: string, { browser = server.browser(), right = false } = {}) {
  names += 1;
  const typed = right ? anna : { username: `target-${names}`, password: "Wrong-Window-27-Oak" };
  const form = await openForm(browser, party.request({ prompt: "login" }).url);
  const { username, password } = typed;
  return form.post({ username, password }, { headers: { "x-forwarded-for": address } });
}

describe("guesses from an IPv6 network", () => {
  /** Counts the attempts that one /64 may make, without checking a password. */
  async function exhaust(network: string) {
    for (let count = 0; count < 50; count += 1) {
      names += 1;
      const wait = await countAttempt(server.context, {
        typedName: `target-${names}`,
        userId: null,
        address: `${network}::${count}`,
        knownBrowser: null,
      });
      if (wait > 0) throw new Error(`${network} was throttled`);
    }
  }

  // Proves requirement 137.
  test("that move from one /64 to the next are 200 in a quarter of an hour from a /56", async () => {
    for (const subnet of ["00", "01", "02", "ff"]) await exhaust(`2001:db8:1:ab${subnet}`);
    const waiting = await attempt("2001:db8:1:ab77::1");
    expect([waiting.status, waiting.headers["retry-after"]]).toEqual([429, "900"]);
    expect((await attempt("2001:db8:1:ac00::1")).status).toBe(401);
  });

  test("that move from one /56 to the next are 800 in a quarter of an hour from a /48", async () => {
    for (let subnet = 0x10; subnet < 0x20; subnet += 1) await exhaust(`2001:db8:2:${subnet.toString(16)}00`);
    expect((await attempt("2001:db8:2:7700::1")).status).toBe(429);
    expect((await attempt("2001:db8:3:7700::1")).status).toBe(401);
  }, 60_000);

  test("do not include a correct password, in any network", async () => {
    for (const subnet of ["00", "01", "02"]) await exhaust(`2001:db8:4:ab${subnet}`);
    for (let count = 0; count < 49; count += 1) await admit("2001:db8:4:ab03::1");
    expect((await attempt("2001:db8:4:ab04::1", { right: true })).status).toBe(303);
    expect((await attempt("2001:db8:4:ab05::1")).status).toBe(401);
    expect((await attempt("2001:db8:4:ab06::1")).status).toBe(429);
  });

  async function admit(address: string) {
    names += 1;
    await countAttempt(server.context, { typedName: `target-${names}`, userId: null, address, knownBrowser: null });
  }
});

describe("guesses that are spread over many names and addresses", () => {
  const FIFTY_NETWORKS = (count: number) => `203.0.${count % 50}.1`;

  /** Counts earlier failures; `addressOf` returns the address of each. */
  async function fail(times: number, addressOf: (count: number) => string) {
    for (let count = 0; count < times; count += 1) await countFailure(server.context, addressOf(count));
  }

  async function alarms() {
    const mails = (await server.mails()).filter(({ to }) => to === ADMINISTRATOR);
    return { mails, lines: server.lines().filter(({ event }) => event === "sign-in.alarm") };
  }

  test("the limits are those that the manual promises", () => {
    const [alarm, network] = limitsInManual("wrong passwords for all user names and from all addresses");
    expect(GUESSING_LIMITS).toMatchObject({ alarm, network });
    const { points, windowSeconds } = GUESSING_LIMITS.unknownBrowsers;
    expect(windowSeconds).toBe(HOUR_SECONDS);
    expect(readText("docs/security.md")).toContain(`After ${points}, only browsers that signed in as the user before`);
    expect(GUESSING_LIMITS.alarmMails).toMatchObject({ points: 1, windowSeconds: HOUR_SECONDS });
  });

  // Proves requirement 137.
  test("alarm the administrator once an hour, by mail and in the log, also when one network makes them", async () => {
    const before = await alarms();
    await fail(99, () => "192.0.2.1");
    await attempt("192.0.2.1");
    expect((await alarms()).mails).toHaveLength(before.mails.length);
    await attempt("198.51.100.1");
    await attempt("203.0.113.1");
    const { mails, lines } = await alarms();
    expect(mails).toHaveLength(before.mails.length + 1);
    expect(mails.at(-1)).toMatchObject({ subject: "Many failed sign-ins" });
    expect(mails.at(-1)?.text).toContain("More than 100 sign-ins failed within an hour");
    expect(lines).toHaveLength(before.lines.length + 1);
    server.clock.advance(HOUR_SECONDS + 1);
    await fail(101, () => "192.0.2.1");
    expect((await alarms()).mails).toHaveLength(before.mails.length + 2);
  });

  // Proves requirement 137.
  test("stop at 1000 an hour, but not for browsers that signed in as the user before", async () => {
    const known: Browser = server.browser();
    await signIn(known, party.request(), anna);
    await fail(999, FIFTY_NETWORKS);
    expect((await attempt("192.0.2.2")).status).toBe(401);
    const stranger = await attempt("198.51.100.2", { right: true });
    expect([stranger.status, stranger.headers["retry-after"]]).toEqual([429, String(HOUR_SECONDS)]);
    expect((await attempt("198.51.100.2", { right: true, browser: known })).status).toBe(303);
    server.clock.advance(HOUR_SECONDS + 1);
    expect((await attempt("198.51.100.2", { right: true })).status).toBe(303);
  }, 60_000);

  // Proves requirement 137.
  test.each([
    ["five IPv4 addresses", (count: number) => `192.0.2.${count % 5}`],
    ["one IPv6 /48", (count: number) => `2001:db8:9:${count.toString(16)}::1`],
  ])(
    "do not affect other users when %s make them",
    async (_networks, addressOf) => {
      await fail(1200, addressOf);
      expect((await attempt("198.51.100.3", { right: true })).status).toBe(303);
    },
    60_000,
  );
});
