import { beforeEach, describe, expect, test } from "vitest";
import { SIGN_IN_LIMITS } from "#app/domain/password/throttle.server.ts";
import { unlockUser } from "#app/domain/user/unlock.server.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { limitsInManual } from "#tests/support/security-manual.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { type OpenForm, openForm, stateOf } from "./open-form.ts";

const WRONG = "Wrong-Window-27-Oak";
const QUARTER_HOUR = 15 * 60;
let anna: TestUser;
let addresses = 0;

// Requests choose their address with a forwarding header.
const server = await serverOfFile({ env: { TRUST_PROXY: "127.0.0.1/32,::1/128" } });
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  anna = await server.users.create();
});

type Guess = { username?: string; password?: string; address?: string };

/** Makes one attempt on a new form, from a new address by default. */
async function guess(browser: Browser, how: Guess = {}) {
  return postGuess(await openForm(browser, party.request({ prompt: "login" }).url), how);
}

async function postGuess(form: OpenForm, { username = anna.username, password = WRONG, address }: Guess) {
  addresses += 1;
  const from = address ?? `10.0.${addresses >> 8}.${addresses & 255}`;
  return form.post({ username, password }, { headers: { "x-forwarded-for": from } });
}

/** Makes attempts on one form. */
async function guessTimes(count: number, browser = server.browser(), how: (index: number) => Guess = () => ({})) {
  const form = await openForm(browser, party.request({ prompt: "login" }).url);
  const responses: HttpResponse[] = [];
  for (let index = 0; index < count; index += 1) responses.push(await postGuess(form, how(index)));
  return responses;
}

const statusesOf = (responses: readonly HttpResponse[]) => responses.map(({ status }) => status);

function waitOf({ headers }: HttpResponse) {
  return Number(headers["retry-after"]);
}

// Proves requirement 15.
test("the limits are those that the manual promises", () => {
  const [name, nameDay] = limitsInManual("wrong passwords for one user name or e-mail address as typed");
  const [account, accountDay] = limitsInManual(
    "wrong passwords for one user, by user name and e-mail address together",
  );
  const [address] = limitsInManual("wrong passwords from one address");
  const [browser, browserDay] = limitsInManual("wrong passwords for one user name in one browser");
  expect(SIGN_IN_LIMITS).toMatchObject({ name, nameDay, account, accountDay, address, browser, browserDay });
});

describe("one user name", () => {
  test("gets ten guesses; the next attempt is throttled, on a working page with the waiting time", async () => {
    const refusals = await guessTimes(10);
    expect(new Set(statusesOf(refusals))).toEqual(new Set([401]));

    const waiting = await guess(server.browser());
    expect([waiting.status, stateOf(waiting).error]).toEqual([429, "throttled"]);
    expect(waitOf(waiting)).toBe(QUARTER_HOUR);
    expect(waiting.page().text).toContain("Please wait 15 minutes");
    expect(waiting.page().one("input", { name: "username" }).attributes.value).toBe(anna.username);
    expect(waiting.page().form("/login/native").buttons[0]?.disabled).toBe(false);

    server.clock.advance(QUARTER_HOUR - 30);
    expect(waitOf(await guess(server.browser()))).toBe(30);
    server.clock.advance(31);
    const right = await guess(server.browser(), { password: anna.password });
    expect(right.status).toBe(303);
  });
});

describe("one address", () => {
  test("gets fifty guesses over all user names; another address is not affected", async () => {
    const address = "192.0.2.7";
    const guesses = await guessTimes(50, server.browser(), (index) => ({ username: `target-${index}`, address }));
    expect(statusesOf(guesses)).toEqual(Array(50).fill(401));
    const waiting = await guess(server.browser(), { password: anna.password, address });
    expect([waiting.status, waitOf(waiting)]).toEqual([429, QUARTER_HOUR]);
    const elsewhere = await guess(server.browser(), { password: anna.password, address: "192.0.2.8" });
    expect(elsewhere.status).toBe(303);
  }, 60_000);
});

describe("a browser in which the user signed in before", () => {
  let known: Browser;

  beforeEach(async () => {
    known = server.browser();
    await signIn(known, party.request(), anna);
  });

  // Proves requirement 16.
  test("still signs in when strangers have used up all guesses, from the same address too", async () => {
    const address = "192.0.2.99";
    await guessTimes(10, server.browser(), () => ({ address }));
    expect((await guess(server.browser(), { password: anna.password, address })).status).toBe(429);
    expect((await guess(known, { password: anna.password, address })).status).toBe(303);
    expect((await guess(server.browser(), { address })).status).toBe(429);
  });
});

test("an administrator can unlock a throttled user at once, in unknown and in known browsers", async () => {
  const known = server.browser();
  await signIn(known, party.request(), anna);
  for (const browser of [known, server.browser()]) {
    await guessTimes(10, browser);
    expect((await guess(browser, { password: anna.password })).status).toBe(429);
    await unlockUser(server.context, anna.username);
    expect((await guess(browser, { password: anna.password })).status).toBe(303);
  }
});
