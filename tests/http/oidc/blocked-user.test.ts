import { beforeEach, describe, expect, test } from "vitest";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { endSessionsOfUser } from "#app/domain/user/end-sessions.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import type { Tokens } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { followRedirects, open, seedSignIn, seedTokens, typePassword } from "./browser-steps.ts";
import { codeOf, hasForm, redirectParameters } from "./responses.ts";

const NEW_PASSWORD = "Harbour-Lantern-93-Elm";
let anna: TestUser;
let browser: Browser;
let tokens: Tokens;

const server = await serverOfFile();
const scopes = ["openid", "profile", "offline", "offline_access"];
const party = await server.parties.create({ firstParty: true, scopes });
const foreign = await server.parties.create({ scopes });

beforeEach(async () => {
  anna = await server.users.create();
  browser = server.browser();
  tokens = await seedTokens(server, browser, party, party.request({ scope: "openid offline" }), anna);
});

const ENDINGS: { name: string; end: () => Promise<unknown> }[] = [
  {
    name: "a user who is blocked",
    end: () => blockUser(server.context, anna.username),
  },
  {
    name: "a user whose password an administrator has set",
    end: () => setUserPassword(server.context, anna.username, NEW_PASSWORD),
  },
  {
    name: "a user whose sessions an administrator has ended",
    end: () => endSessionsOfUser(server.context, anna.username),
  },
  {
    name: "a user who was removed",
    end: () => removeUser(server.context, anna.username),
  },
  {
    name: "a user who is blocked and unblocked",
    end: async () => {
      await blockUser(server.context, anna.username);
      await unblockUser(server.context, anna.username);
    },
  },
];

describe.each(ENDINGS)("for $name, from the next request on,", ({ end }) => {
  test("the session is invalid: prompt=none is login_required, and the form is shown", async () => {
    await end();
    expect(redirectParameters(await open(browser, party.request({ prompt: "none" }).url))).toMatchObject({
      error: "login_required",
    });
    expect(hasForm(await open(browser, party.request().url), "/login/native")).toBe(true);
  });

  // Proves requirement 61.
  test("userinfo rejects the access token", async () => {
    await end();
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
  });

  test("introspection reports access and refresh token as inactive", async () => {
    await end();
    for (const token of [tokens.accessToken, tokens.refreshToken]) {
      expect((await party.introspect(token)).json()).toEqual({ active: false });
    }
  });

  // Proves requirement 61.
  test("the refresh token is rejected, also with offline_access", async () => {
    const request = party.request({ scope: "openid offline_access", prompt: "consent" });
    const offline = await seedTokens(server, browser, party, request, anna);
    await end();
    for (const { refreshToken } of [tokens, offline]) {
      const response = await party.refresh(refreshToken);
      expect([response.status, response.error()]).toEqual([400, "invalid_grant"]);
    }
  });

  test("an issued code is rejected", async () => {
    const request = party.request();
    const code = codeOf(await seedSignIn(server, browser, request, anna));
    await end();
    const response = await party.exchange(code, request);
    expect([response.status, response.error()]).toEqual([400, "invalid_grant"]);
  });

  test("an open consent page grants nothing", async () => {
    const question = await open(browser, foreign.request().url);
    expect(hasForm(question, "/consent/accept")).toBe(true);
    await end();
    const response = await followRedirects(
      browser,
      await browser.submit(question, question.page().form("/consent/accept")),
    );
    expect(hasCode(response)).toBe(false);
  });

  test("'You are logged in as' does not continue", async () => {
    const page = await open(browser, party.request({ prompt: "select_account" }).url);
    const form = page.page().form("/login/proceed");
    await end();
    const response = await followRedirects(browser, await browser.submit(page, form, {}, "Proceed"));
    expect(hasCode(response)).toBe(false);
    expect(response.status).toBeLessThan(500);
  });

  test("a sign-in between password and redirect does not continue", async () => {
    const form = await open(browser, party.request({ prompt: "login" }).url);
    const { username, password } = anna;
    const passed = await browser.submit(form, form.page().form("/login/native"), { username, password });
    expect(passed.status).toBe(303);
    await end();
    expect(hasCode(await followRedirects(browser, passed))).toBe(false);
  });

  test("a session in another browser ends too", async () => {
    const other = server.browser();
    await seedSignIn(server, other, party.request(), anna);
    await end();
    expect(redirectParameters(await open(other, party.request({ prompt: "none" }).url))).toMatchObject({
      error: "login_required",
    });
  });

  test("sessions and tokens of other users stay valid", async () => {
    const bernds = server.browser();
    const otherTokens = await seedTokens(server, bernds, party, party.request(), await server.users.create());
    await end();
    expect((await party.userinfo(otherTokens.accessToken)).status).toBe(200);
    expect(redirectParameters(await open(bernds, party.request({ prompt: "none" }).url))).toHaveProperty("code");
  });

  test("signing out of the ended session shows a page, not an error", async () => {
    await end();
    const page = await open(browser, party.logoutUrl());
    expect(page.status).toBeLessThan(500);
  });
});

describe("signing in again", () => {
  test("is refused to a blocked user like a wrong password", async () => {
    await blockUser(server.context, anna.username);
    const response = await typePassword(browser, await open(browser, party.request().url), anna);
    expect([response.status, response.page().state().error]).toEqual([401, "credentials"]);
  });

  test("works for an unblocked user; ended sessions stay ended", async () => {
    await blockUser(server.context, anna.username);
    await unblockUser(server.context, anna.username);
    expect(redirectParameters(await seedSignIn(server, browser, party.request(), anna))).toHaveProperty("code");
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
  });

  // Proves requirement 61.
  test("is refused to a removed user like a wrong password", async () => {
    await removeUser(server.context, anna.username);
    const response = await typePassword(browser, await open(browser, party.request().url), anna);
    expect([response.status, response.page().state().error]).toEqual([401, "credentials"]);
  });

  // Proves requirement 61.
  test("works at once for a user whose sessions an administrator has ended", async () => {
    await endSessionsOfUser(server.context, anna.username);
    expect(redirectParameters(await seedSignIn(server, browser, party.request(), anna))).toHaveProperty("code");
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
  });

  test("works with the new password only", async () => {
    await setUserPassword(server.context, anna.username, NEW_PASSWORD);
    const form = await open(browser, party.request().url);
    const old = await typePassword(browser, form, anna);
    expect(old.status).toBe(401);
    const end = await typePassword(browser, old, { ...anna, password: NEW_PASSWORD });
    expect(redirectParameters(end)).toHaveProperty("code");
  });
});

function hasCode({ location }: HttpResponse) {
  return location !== null && new URL(location).searchParams.has("code");
}
