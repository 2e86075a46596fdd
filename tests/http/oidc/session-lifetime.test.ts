import { describe, expect, test } from "vitest";
import { HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { serverOfFile, TEST_NOW } from "#tests/support/server.ts";
import { open, signIn } from "./browser-steps.ts";
import { hasForm, redirectParameters } from "./responses.ts";

/** The engine's tolerance for clock differences between servers. */
const CLOCK_LEEWAY_SECONDS = 15;

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true });

const at = eachTest(async () => {
  server.clock.set(TEST_NOW);
  const browser = server.browser();
  await signIn(browser, party.request(), anna);
  /** The cookies after the sign-in, kept beyond their own expiry like a thief's. */
  const cookie = cookiesOf(browser);
  return { browser, cookie };
});

/**
 * Returns whether an application gets a code with prompt=none, which keeps the session in use. Sends the cookies past
 * their own expiry, so that only the server can end the session.
 */
async function isSignedIn() {
  const { url } = party.request({ prompt: "none" });
  return "code" in redirectParameters(await server.browser().get(url, { headers: { cookie: at.cookie } }));
}

function cookiesOf(who: Browser) {
  return who.jar.header(new URL(server.url)) ?? "";
}

describe("a session", () => {
  // Proves requirement 64.
  test("stays valid while it is used at least every two hours", async () => {
    for (let hours = 2; hours < 12; hours += 2) {
      server.clock.advance(2 * HOUR_SECONDS - 1);
      expect(await isSignedIn()).toBe(true);
    }
  });

  // Proves requirement 60.
  test("ends two hours after its last use", async () => {
    server.clock.advance(HOUR_SECONDS);
    expect(await isSignedIn()).toBe(true);
    server.clock.advance(2 * HOUR_SECONDS + 1 + CLOCK_LEEWAY_SECONDS);
    expect(await isSignedIn()).toBe(false);
    expect(hasForm(await open(at.browser, party.request().url), "/login/native")).toBe(true);
  });

  // Proves requirement 60.
  test("ends twelve hours after the sign-in, despite use", async () => {
    for (let hours = 1; hours < 12; hours += 1) {
      server.clock.set(new Date(TEST_NOW.getTime() + hours * HOUR_SECONDS * 1000));
      expect(await isSignedIn()).toBe(true);
    }
    server.clock.set(new Date(TEST_NOW.getTime() + (12 * HOUR_SECONDS + 1 + CLOCK_LEEWAY_SECONDS) * 1000));
    expect(await isSignedIn()).toBe(false);
  });

  // Proves requirement 60.
  test("cannot be extended past its end by frequent requests", async () => {
    for (let hours = 1; hours < 12; hours += 1) {
      server.clock.set(new Date(TEST_NOW.getTime() + hours * HOUR_SECONDS * 1000));
      await isSignedIn();
    }
    for (let seconds = -20; seconds <= 2 * MINUTE_SECONDS; seconds += 5) {
      server.clock.set(new Date(TEST_NOW.getTime() + (12 * HOUR_SECONDS + seconds) * 1000));
      await isSignedIn();
    }
    expect(await isSignedIn()).toBe(false);
  });

  test("starts again with a new sign-in", async () => {
    server.clock.advance(13 * HOUR_SECONDS);
    await signIn(at.browser, party.request(), anna);
    at.cookie = cookiesOf(at.browser);
    server.clock.advance(2 * HOUR_SECONDS - 1);
    expect(await isSignedIn()).toBe(true);
  });

  test("gets twelve hours again after the password", async () => {
    for (let hours = 1; hours < 12; hours += 1) {
      server.clock.set(new Date(TEST_NOW.getTime() + hours * HOUR_SECONDS * 1000));
      await isSignedIn();
    }
    await signIn(at.browser, party.request({ prompt: "login" }), anna);
    at.cookie = cookiesOf(at.browser);
    server.clock.advance(90 * MINUTE_SECONDS);
    expect(await isSignedIn()).toBe(true);
  });

  test("that has ended shows no user name on pages", async () => {
    const page = await open(at.browser, party.logoutUrl());
    expect(page.page().text).toContain(anna.displayName);
    server.clock.advance(3 * HOUR_SECONDS);
    const late = await open(at.browser, page.url);
    expect(late.body).not.toContain(anna.displayName);
  });

  test("has a cookie with HttpOnly, SameSite=Lax, Path=/, for this host only", async () => {
    const cookie = at.browser.jar.find("gatehouse_session");
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "lax", path: "/" });
  });

  test("changes its id at sign-in, against session fixation", async () => {
    const victim = server.browser();
    await open(victim, party.request().url);
    const before = victim.jar.all().filter(({ name }) => name.startsWith("gatehouse_session"));
    await signIn(victim, party.request(), anna);
    const attacker = server.browser();
    for (const { name, value } of before) attacker.jar.take(new URL(server.url), [`${name}=${value}; Path=/`]);
    const parameters = redirectParameters(await open(attacker, party.request({ prompt: "none" }).url));
    expect(parameters).toMatchObject({ error: "login_required" });
  });
});

describe("a manipulated session cookie is rejected", () => {
  test.each(["nonsense", "", "x".repeat(200)])("%j", async (value) => {
    at.cookie = at.cookie.replace(/gatehouse_session=[^;]*/, `gatehouse_session=${value}`);
    expect(await isSignedIn()).toBe(false);
  });

  test("a valid id without its signature", async () => {
    at.cookie = at.cookie.replace(/gatehouse_session\.sig=[^;]*;? ?/, "");
    expect(at.cookie).toMatch(/gatehouse_session=/);
    expect(await isSignedIn()).toBe(false);
  });
});
