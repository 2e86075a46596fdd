import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { allow, obtainTokens, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { hasForm } from "#tests/http/oidc/responses.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { copyOf, findSignedInUser } from "./live-session.ts";

const COOKIES = ["gatehouse_session", "gatehouse_session.sig"];

/** A first-party client, which needs no consent. */
const OWN = { firstParty: true, scopes: ["openid", "offline"] };
let anna: TestUser;
let bernd: TestUser;
let browser: Browser;

const server = await serverOfFile();
const party = await server.parties.create(OWN);

beforeEach(async () => {
  [anna, bernd] = [await server.users.create(), await server.users.create()];
  browser = server.browser();
});

const sessionOf = (otherBrowser: Browser) => otherBrowser.jar.find("gatehouse_session")?.value ?? null;
const signedInUser = (otherBrowser: Browser) => findSignedInUser(party, otherBrowser);
const thief = () => copyOf(browser, server.url);

/** Copies a session cookie into another browser, as another host of the same domain could. */
function plant(from: Browser, into: Browser) {
  for (const name of COOKIES) {
    into.jar.take(new URL(server.url), [`${name}=${from.jar.find(name)?.value ?? ""}; Path=/`]);
  }
}

describe("the cookie of a session", () => {
  test("does not exist before a sign-in", async () => {
    await open(browser, party.request().url);
    expect(sessionOf(browser)).toBeNull();
    await signIn(browser, party.request(), anna);
    expect(sessionOf(browser)).toMatch(/^[\w-]{40,}$/);
  });

  // Proves requirement 58.
  test("is replaced by a new sign-in, and the old one is invalid", async () => {
    await signIn(browser, party.request(), anna);
    const [before, copy] = [sessionOf(browser), thief()];
    await typePassword(browser, await open(browser, party.request({ prompt: "login" }).url), anna);
    expect(sessionOf(browser)).not.toBe(before);
    expect(await signedInUser(copy)).toBe("login_required");
    expect(await signedInUser(browser)).toBe(anna.id);
  });

  test("is replaced after a consent, and the old one is invalid", async () => {
    const stranger = await server.parties.create();
    const question = await typePassword(browser, await open(browser, stranger.request().url), anna);
    const [before, copy] = [sessionOf(browser), thief()];
    await allow(browser, question);
    expect(sessionOf(browser)).not.toBe(before);
    expect(await signedInUser(copy)).toBe("login_required");
  });

  test("that is forged or unsigned is rejected", async () => {
    await signIn(browser, party.request(), anna);
    const copy = thief();
    copy.jar.clear("gatehouse_session.sig");
    expect(await signedInUser(copy)).toBe("login_required");
    copy.jar.take(new URL(server.url), ["gatehouse_session.sig=AAAAAAAAAAAAAAAAAAAAAAAAAAA; Path=/"]);
    expect(await signedInUser(copy)).toBe("login_required");
  });
});

describe("a session that an attacker has planted", () => {
  test("his own: does not become the session of the user who signs in", async () => {
    const attacker = server.browser();
    await signIn(attacker, party.request(), bernd);
    plant(attacker, browser);
    await typePassword(browser, await open(browser, party.request({ prompt: "login" }).url), anna);
    expect(await signedInUser(browser)).toBe(anna.id);
    expect(await signedInUser(attacker)).not.toBe(anna.id);
    expect(sessionOf(browser)).not.toBe(sessionOf(attacker));
  });

  test("an ended one of his: is useless when the user signs in", async () => {
    const attacker = server.browser();
    await signIn(attacker, party.request(), bernd);
    await blockUser(server.context, bernd.username);
    plant(attacker, browser);
    await signIn(browser, party.request(), anna);
    expect(await signedInUser(browser)).toBe(anna.id);
    expect(await signedInUser(attacker)).toBe("login_required");
  });

  test("a made-up one: is replaced", async () => {
    browser.jar.take(new URL(server.url), ["gatehouse_session=chosen-by-the-attacker-0123456789; Path=/"]);
    await signIn(browser, party.request(), anna);
    expect(sessionOf(browser)).not.toContain("attacker");
    expect(await signedInUser(browser)).toBe(anna.id);
  });
});

describe("a session ends", () => {
  beforeEach(async () => {
    await signIn(browser, party.request(), anna);
  });

  test("two hours after it was last used", async () => {
    server.clock.advance(2 * HOUR_SECONDS - 60);
    expect(await signedInUser(browser)).toBe(anna.id);
    server.clock.advance(2 * HOUR_SECONDS - 60);
    expect(await signedInUser(browser)).toBe(anna.id);
    server.clock.advance(2 * HOUR_SECONDS + 1);
    expect(await signedInUser(browser)).toBe("login_required");
  });

  test("twelve hours after the sign-in, however busy it is", async () => {
    for (let hour = 1; hour < 12; hour += 1) {
      server.clock.advance(HOUR_SECONDS);
      expect([hour, await signedInUser(browser)]).toEqual([hour, anna.id]);
    }
    server.clock.advance(HOUR_SECONDS);
    expect(await signedInUser(browser)).toBe("login_required");
  });

  test("with a sign-in as another user in the same browser", async () => {
    const first = thief();
    const form = await open(browser, party.request({ prompt: "login" }).url);
    await typePassword(browser, form, bernd);
    expect(await signedInUser(browser)).toBe(bernd.id);
    expect(await signedInUser(first)).toBe("login_required");
  });

  test("with the next request after the user is blocked, in every browser", async () => {
    const other = server.browser();
    const { accessToken, refreshToken } = await obtainTokens(
      other,
      party,
      party.request({ scope: "openid offline" }),
      anna,
    );
    await blockUser(server.context, anna.username);
    expect([await signedInUser(browser), await signedInUser(other)]).toEqual(["login_required", "login_required"]);
    expect((await party.userinfo(accessToken)).status).toBe(401);
    expect((await party.refresh(refreshToken)).status).toBe(400);
    expect(hasForm(await open(browser, party.request().url), "/login/native")).toBe(true);
  });

  test("when an administrator sets a new password", async () => {
    await setUserPassword(server.context, anna.username, "Harbour-Candle-31-Elm");
    expect(await signedInUser(browser)).toBe("login_required");
  });

  test.each([
    ["blocked", { status: "blocked" }],
    ["of a later generation", { generation: 99 }],
  ] as const)("when the user is %s, though its row was saved again after that", async (_what, change) => {
    const { t, q } = server.context.store;
    await q.update(t.users).set(change).where(eq(t.users.id, anna.id)).returning();
    expect(await signedInUser(browser)).toBe("login_required");
    expect(hasForm(await open(browser, party.request().url), "/login/native")).toBe(true);
  });
});
