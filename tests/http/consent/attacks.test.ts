import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf, stateOf, tokensOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser, FormValues, HttpResponse } from "#tests/support/browser-jar.ts";
import { type AuthorizationRequest, readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";

const NAME = "Tidewater Claims";
let anna: TestUser;
let request: AuthorizationRequest;
let browser: Browser;
let page: HttpResponse;

const server = await serverOfFile();
const scopes = ["openid", "profile", "email", "permissions"];
const party = await server.parties.create({ name: NAME, scopes });

/** The application requests Anna's profile and address. */
beforeEach(async () => {
  anna = await server.users.create({ permissions: ["claims.write"] });
  browser = server.browser();
  request = party.request({ scope: "openid profile email" });
  page = await typePassword(browser, await open(browser, request.url), anna);
});

function post(changes: FormValues = {}, from = browser, path = "/consent/accept") {
  const { consent_challenge, xsrf_token: _xsrf } = tokensOf(page);
  return from.post(path, { _xsrf, consent_challenge, scopes: ["openid", "profile", "email"], ...changes });
}

async function consentsOf(user: TestUser) {
  const { t, q } = server.context.store;
  return q.select({ scopes: t.consents.scopes }).from(t.consents).where(eq(t.consents.userId, user.id));
}

async function expectNothingGranted() {
  expect(await consentsOf(anna)).toEqual([]);
  expect(redirectParameters(await browser.get(party.request({ prompt: "none" }).url))).toMatchObject({
    error: "consent_required",
  });
}

describe("a consent form with edited scopes", () => {
  test("grants no scope that was not asked for", async () => {
    const scopes = ["openid", "profile", "email", "permissions", "offline_access", "nonsense"];
    const end = await followRedirects(browser, await post({ scopes }));
    const { accessToken, idToken, scope, refreshToken } = readTokens(await party.exchange(codeOf(end), request));
    expect([scope, refreshToken]).toEqual(["openid profile email", ""]);
    expect((await party.verifyIdToken(idToken)).payload).not.toHaveProperty("permissions");
    expect((await party.userinfo(accessToken)).json()).not.toHaveProperty("permissions");
    expect(await consentsOf(anna)).toEqual([{ scopes: ["openid", "profile", "email"] }]);
  });

  test.each([
    ["fewer", ["openid", "profile"]],
    ["no", []],
    ["only other", ["permissions"]],
  ])("that names %s scopes grants nothing", async (_what, scopes) => {
    const posted = await post({ scopes });
    expect([refusalOf(posted), posted.location]).toEqual([{ status: 400, error: "bad request" }, null]);
    expect(posted.page().text).toContain("Consent failed!");
    await expectNothingGranted();
  });

  test("that names a scope twice grants it once", async () => {
    const end = await followRedirects(browser, await post({ scopes: ["openid", "profile", "profile", "email"] }));
    expect(readTokens(await party.exchange(codeOf(end), request)).scope).toBe("openid profile email");
  });
});

describe("skipping a step", () => {
  test("accepting without any request is a 400", async () => {
    expect(refusalOf(await browser.post("/consent/accept", {}))).toEqual({ status: 400, error: "challenge" });
    expect(refusalOf(await server.browser().post("/consent/accept", {}))).toEqual({ status: 400, error: "challenge" });
  });

  // Proves requirement 77.
  test("accepting before the sign-in is a 400 without a code", async () => {
    const form = await open(browser, party.request({ prompt: "login" }).url);
    const { login_challenge, xsrf_token: _xsrf } = tokensOf(form);
    expect(refusalOf(await post({ _xsrf, consent_challenge: login_challenge }))).toEqual({
      status: 400,
      error: "challenge",
    });
    const [uid] = login_challenge.split(".");
    expect((await open(browser, `/oauth2/auth/${uid}`)).location).toBeNull();
  });

  test("the resume URL of an open consent shows an error, and the consent page still works", async () => {
    const [uid] = tokensOf(page).consent_challenge.split(".");
    const resumed = await open(browser, `/oauth2/auth/${uid}`);
    expect([resumed.status, stateOf(resumed).error]).toEqual([400, "invalid_request"]);
    expect(stateOf(await browser.get(page.url)).client).toMatchObject({ name: NAME });
    await expectNothingGranted();
  });

  test("a consent after the session has ended grants nothing", async () => {
    browser.jar.clear("gatehouse_session");
    const posted = await followRedirects(browser, await post());
    expect(new URL(posted.url).origin).toBe(server.url);
    expect(posted.location).toBeNull();
    expect(await consentsOf(anna)).toEqual([]);
  });
});

describe("posting twice", () => {
  test("accepting twice redirects to the same URL, with one code", async () => {
    const [first, second] = [await post(), await post()];
    expect([first.status, second.status, second.location]).toEqual([303, 303, first.location]);
    expect(codeOf(await followRedirects(browser, second))).not.toBe("");
    expect((await open(browser, first.location ?? "")).location).toBeNull();
  });

  test("accepting again after completion issues no second code", async () => {
    await followRedirects(browser, await post());
    const again = await post();
    expect([again.status, again.location, stateOf(again).error]).toEqual([400, null, "challenge"]);
  });

  test("rejecting after accepting, and accepting after rejecting, have no effect after completion", async () => {
    const rejected = await followRedirects(browser, await post({}, browser, "/consent/reject"));
    expect(redirectParameters(rejected)).toMatchObject({ error: "access_denied" });
    expect((await post()).location).toBeNull();
    await expectNothingGranted();
  });
});

describe("a consent page in another browser", () => {
  test("shows nothing of the request", async () => {
    const shown = await server.browser().get(page.url);
    expect(refusalOf(shown)).toEqual({ status: 400, error: "challenge" });
    for (const value of [NAME, anna.displayName, request.state, party.redirectUri])
      expect(shown.body).not.toContain(value);
  });

  test("an attacker cannot allow his application with another user's page", async () => {
    const attacker = server.browser();
    const mallory = await server.users.create();
    await typePassword(attacker, await open(attacker, party.request().url), mallory);
    for (const path of ["/consent/accept", "/consent/reject"]) {
      expect([path, refusalOf(await post({}, attacker, path)).status]).toEqual([path, 400]);
    }
    expect([await consentsOf(anna), await consentsOf(mallory)]).toEqual([[], []]);
    expect(redirectParameters(await followRedirects(browser, await post()))).toHaveProperty("code");
  });

  test("a user who is lured to an attacker's page allows nothing, and the attacker gets nothing", async () => {
    const attacker = server.browser();
    const mallory = await server.users.create();
    const lure = await typePassword(attacker, await open(attacker, party.request().url), mallory);
    const shown = await browser.get(lure.url);
    expect([shown.status, shown.body.includes(NAME)]).toEqual([400, false]);
    const { consent_challenge } = tokensOf(lure);
    const posted = await browser.post("/consent/accept", {
      _xsrf: tokensOf(shown).xsrf_token,
      consent_challenge,
      scopes: ["openid"],
    });
    expect([posted.status, posted.location]).toEqual([400, null]);
    expect([await consentsOf(anna), await consentsOf(mallory)]).toEqual([[], []]);
    const [uid] = consent_challenge.split(".");
    expect((await open(attacker, `/oauth2/auth/${uid}`)).location).toBeNull();
  });

  test("can be started again there, as a request of its own", async () => {
    const other = server.browser();
    const shown = await other.get(page.url);
    const form = await followRedirects(other, await other.submit(shown, shown.page().form("/consent")));
    const question = await typePassword(other, form, anna);
    expect(tokensOf(question).consent_challenge).not.toBe(tokensOf(page).consent_challenge);
  });
});

describe("a consent page of one user", () => {
  test("cannot be accepted by another user who signed in in the same browser in the meantime", async () => {
    const bernd = await server.users.create();
    await typePassword(browser, await open(browser, party.request({ prompt: "login" }).url), bernd);
    const _xsrf = tokensOf(await browser.get("/consent")).xsrf_token;
    const end = await followRedirects(browser, await post({ _xsrf }));
    expect(end.location ?? "").not.toContain("code=");
    expect([await consentsOf(anna), await consentsOf(bernd)]).toEqual([[], []]);
    expect(await findSignedInUser(party, browser)).toBe("consent_required");
  });
});
