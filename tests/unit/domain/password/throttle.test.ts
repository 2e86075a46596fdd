import { describe, expect, it, onTestFinished } from "vitest";
import { openStore, type Store } from "#app/db/store.server.ts";
import { SIGN_IN_LIMITS } from "#app/domain/password/throttle.server.ts";
import { type PasswordSignInInput, signInWithPassword } from "#app/domain/sign-in/with-password.server.ts";
import { createDatabase, dialects, withStore } from "#tests/support/databases.ts";
import { installation, putUser, REQUEST, random } from "#tests/unit/domain/fixtures.ts";

const PASSWORD = "Correct horse 1";
const QUARTER_HOUR = 15 * 60;

/** Creates an installation: `guess` tries a wrong password from a new browser, `signIn` the right one. */
function throttledSignIn(store: Store) {
  const context = installation(store);
  const { clock, counts } = context;
  function signIn(input: Partial<PasswordSignInInput>) {
    const metadata = { ...REQUEST, clientId: null, browser: random.token() };
    return signInWithPassword(context, { uid: "r", username: "anna", password: PASSWORD, ...metadata, ...input });
  }
  function guess(input: Partial<PasswordSignInInput>) {
    return signIn({ password: "wrong", ...input });
  }
  async function guessTimes(times: number, input: (n: number) => Partial<PasswordSignInInput>) {
    for (let n = 0; n < times; n += 1) expect(await guess(input(n))).toEqual({ kind: "refused" });
  }
  return { context, clock, counts, signIn, guess, guessTimes };
}

function putUsers(store: Store, ...usernames: string[]) {
  return Promise.all(usernames.map((username) => putUser(store, { username, passwordHash: `plain:${PASSWORD}` })));
}

describe.each(dialects)("sign-in throttle on %s", (dialect) => {
  it("after 10 wrong passwords for one name unknown browsers are throttled, from any address, without a check", async () => {
    const store = await withStore(dialect);
    await putUsers(store, "anna");
    const { clock, counts, signIn, guessTimes } = throttledSignIn(store);
    await guessTimes(10, (n) => ({ address: `198.51.100.${n}` }));
    clock.advance(60);
    expect(await signIn({ address: "203.0.113.9" })).toEqual({
      kind: "throttled",
      retryAfterSeconds: QUARTER_HOUR - 60,
    });
    expect(counts.verify).toBe(10);
    clock.advance(QUARTER_HOUR - 60);
    expect(await signIn({})).toMatchObject({ kind: "signed-in" });
  });

  it("counters survive a restart", async () => {
    const database = await createDatabase(dialect);
    onTestFinished(() => database.remove());
    const before = await openStore(database.target);
    await putUsers(before, "anna");
    await throttledSignIn(before).guessTimes(10, () => ({}));
    await before.close();
    const after = await openStore(database.target);
    onTestFinished(() => after.close());
    expect(await throttledSignIn(after).signIn({})).toMatchObject({ kind: "throttled" });
  });
});

describe("sign-in throttle", () => {
  it("an unknown name is throttled the same way, in any spelling", async () => {
    const store = await withStore("sqlite");
    const { guess, guessTimes } = throttledSignIn(store);
    await guessTimes(10, (n) => ({ username: n % 2 ? "NOBODY" : "nobody" }));
    expect(await guess({ username: " Nobody" })).toEqual({ kind: "throttled", retryAfterSeconds: QUARTER_HOUR });
    await guessTimes(10, () => ({ username: "no name!" }));
    expect(await guess({ username: "NO NAME!" })).toMatchObject({ kind: "throttled" });
  });

  it("unknown browsers cannot lock the user out of a known browser, not even from the same address", async () => {
    const store = await withStore("sqlite");
    await putUsers(store, "anna", "berta");
    const { signIn, guess, guessTimes } = throttledSignIn(store);
    const browser = random.token();
    expect(await signIn({ browser })).toMatchObject({ kind: "signed-in" });
    await guessTimes(10, () => ({}));
    await guessTimes(40, (n) => ({ username: `other-${n}` }));
    expect(await guess({ username: "berta" })).toMatchObject({ kind: "throttled" });
    expect(await signIn({})).toMatchObject({ kind: "throttled" });
    expect(await signIn({ browser })).toMatchObject({ kind: "signed-in" });
    // A browser known for Anna is not known for Berta.
    expect(await signIn({ browser, username: "berta" })).toMatchObject({ kind: "throttled" });
  });

  it("a known browser has its own 10 attempts, separate from unknown browsers, and reset by a success", async () => {
    const store = await withStore("sqlite");
    await putUsers(store, "anna");
    const { signIn, guess, guessTimes } = throttledSignIn(store);
    const browser = random.token();
    await signIn({ browser });
    await guessTimes(9, () => ({ browser }));
    expect(await signIn({ browser })).toMatchObject({ kind: "signed-in" });
    await guessTimes(10, () => ({ browser }));
    expect(await guess({ browser })).toEqual({ kind: "throttled", retryAfterSeconds: QUARTER_HOUR });
    expect(await signIn({})).toMatchObject({ kind: "signed-in" });
  });

  it("a success of a user clears no failures for other users", async () => {
    const store = await withStore("sqlite");
    await putUsers(store, "mallory", "anna");
    const { signIn, guess, guessTimes } = throttledSignIn(store);
    await guessTimes(49, (n) => ({ username: `name-${n}` }));
    for (let n = 0; n < 3; n += 1) expect(await signIn({ username: "mallory" })).toMatchObject({ kind: "signed-in" });
    await guessTimes(1, () => ({ username: "name-49" }));
    expect(await guess({ username: "name-50" })).toEqual({ kind: "throttled", retryAfterSeconds: QUARTER_HOUR });
    expect(await guess({ username: "name-50", address: "203.0.113.9" })).toEqual({ kind: "refused" });
  });

  it("a success from a new browser gives unknown browsers no new attempts", async () => {
    const store = await withStore("sqlite");
    await putUsers(store, "anna");
    const { signIn, guess, guessTimes } = throttledSignIn(store);
    await guessTimes(9, () => ({}));
    expect(await signIn({ address: "203.0.113.9" })).toMatchObject({ kind: "signed-in" });
    await guessTimes(1, () => ({}));
    expect(await guess({})).toMatchObject({ kind: "throttled" });
  });

  it("right passwords are not counted: many users can sign in from one address", async () => {
    const store = await withStore("sqlite");
    const names = Array.from({ length: 60 }, (_, n) => `person-${n}`);
    await putUsers(store, ...names);
    const { signIn } = throttledSignIn(store);
    for (const username of names) expect(await signIn({ username })).toMatchObject({ kind: "signed-in" });
  });

  // Proves requirement 14.
  it("at most 100 failures a day are checked for one name", async () => {
    const store = await withStore("sqlite");
    await putUsers(store, "anna");
    const { clock, counts, signIn, guessTimes } = throttledSignIn(store);
    for (let round = 0; round < 10; round += 1) {
      await guessTimes(10, (n) => ({ address: `198.51.100.${round * 10 + n}` }));
      clock.advance(QUARTER_HOUR);
    }
    const result = await signIn({ address: "203.0.113.9" });
    expect(result).toEqual({ kind: "throttled", retryAfterSeconds: 24 * 60 * 60 - 10 * QUARTER_HOUR });
    expect(counts.verify).toBe(100);
  });

  it("one IPv6 subscriber is one address", async () => {
    const store = await withStore("sqlite");
    const { guess, guessTimes } = throttledSignIn(store);
    await guessTimes(50, (n) => ({ username: `name-${n}`, address: `2001:db8:1:2::${n.toString(16)}` }));
    expect(await guess({ username: "other", address: "2001:db8:1:2:ffff::1" })).toMatchObject({ kind: "throttled" });
    expect(await guess({ username: "other", address: "2001:db8:1:3::1" })).toEqual({ kind: "refused" });
  });

  it("a throttled attempt is not counted: neither for its address nor for a longer wait", async () => {
    const store = await withStore("sqlite");
    await putUsers(store, "anna");
    const { clock, guess, guessTimes } = throttledSignIn(store);
    await guessTimes(10, () => ({}));
    for (let n = 0; n < 110; n += 1) expect(await guess({})).toMatchObject({ kind: "throttled" });
    await guessTimes(40, (n) => ({ username: `other-${n}` }));
    clock.advance(QUARTER_HOUR);
    await guessTimes(10, () => ({}));
  });

  it("the limits equal the documented numbers", () => {
    const rules = Object.values(SIGN_IN_LIMITS).map(({ name, points, windowSeconds }) => [name, points, windowSeconds]);
    expect(rules).toEqual([
      ["sign-in/name", 10, 900],
      ["sign-in/name-day", 100, 86_400],
      ["sign-in/account", 10, 900],
      ["sign-in/account-day", 100, 86_400],
      ["sign-in/address", 50, 900],
      ["sign-in/browser", 10, 900],
      ["sign-in/browser-day", 100, 86_400],
    ]);
  });
});
