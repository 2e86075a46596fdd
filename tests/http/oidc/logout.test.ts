import { decodeProtectedHeader } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { rotateSigningKeys } from "#app/oidc/rotate-keys.server.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { fetchKeys, type Parameters, sendApiRequest, type Tokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { followRedirects, open, seedTokens } from "./browser-steps.ts";
import { hasForm, redirectParameters } from "./responses.ts";

const SIGNED_OUT = "http://localhost:9/signed-out";
let browser: Browser;
let tokens: Tokens;

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({
  firstParty: true,
  postLogoutRedirectUris: [SIGNED_OUT],
  scopes: ["openid", "offline"],
});

beforeEach(async () => {
  browser = server.browser();
  tokens = await seedTokens(server, browser, party, party.request(), anna);
});

async function press(page: HttpResponse, path: "/logout/accept" | "/logout/reject") {
  return followRedirects(browser, await browser.submit(page, page.page().form(path)));
}

async function isSignedIn(who = browser) {
  return "code" in redirectParameters(await open(who, party.request({ prompt: "none" }).url));
}

describe("a logout that the application requests", () => {
  // Proves requirement 97.
  test("without a hint shows a confirmation with the user's name and changes nothing yet", async () => {
    const page = await open(browser, party.logoutUrl());
    expect([page.status, new URL(page.url).pathname]).toEqual([200, "/logout"]);
    expect(page.page().state()).toMatchObject({
      status: "pending",
      logout_challenge: new URL(page.url).searchParams.get("logout_challenge"),
      xsrf_token: expect.any(String),
    });
    expect(page.page().text).toContain(anna.displayName);
    expect(await isSignedIn()).toBe(true);
  });

  test("is in the language of ui_locales, also with an underscore", async () => {
    const page = await open(browser, party.logoutUrl({ ui_locales: "de_DE" }));
    expect([page.status, page.page().lang]).toEqual([200, "de"]);
  });

  test("without a session ends on our page in the language of ui_locales", async () => {
    const page = await open(server.browser(), party.logoutUrl({ ui_locales: "fr de_AT" }));
    expect([page.page().state(), page.page().lang]).toMatchObject([{ status: "no-session" }, "de"]);
  });

  test("returns to the application with its state after Logout", async () => {
    const page = await open(browser, party.logoutUrl({ post_logout_redirect_uri: SIGNED_OUT, state: "s &=" }));
    const end = await press(page, "/logout/accept");
    expect([end.status, end.location]).toEqual([303, `${SIGNED_OUT}?state=s+%26%3D`]);
    expect(await isSignedIn()).toBe(false);
  });

  test("ends on our page without a redirect URI", async () => {
    const end = await press(await open(browser, party.logoutUrl()), "/logout/accept");
    expect([end.status, new URL(end.url).pathname]).toEqual([200, "/logout/callback"]);
    expect(end.page().state()).toMatchObject({ status: "accepted" });
  });

  test("with a hint of this session needs no confirmation (OpenID Connect RP-Initiated Logout 1.0 section 2)", async () => {
    const url = party.logoutUrl({ id_token_hint: tokens.idToken, post_logout_redirect_uri: SIGNED_OUT, state: "s" });
    const end = await open(browser, url);
    expect(end.location).toBe(`${SIGNED_OUT}?state=s`);
    expect(await isSignedIn()).toBe(false);
  });

  test("accepts the hint alone, without client_id", async () => {
    const url = party.logoutUrl({
      client_id: undefined,
      id_token_hint: tokens.idToken,
      post_logout_redirect_uri: SIGNED_OUT,
    });
    expect((await open(browser, url)).location).toBe(SIGNED_OUT);
  });

  test("accepts an expired hint: the session lives longer than an ID token", async () => {
    server.clock.advance(3_600);
    const url = party.logoutUrl({ id_token_hint: tokens.idToken, post_logout_redirect_uri: SIGNED_OUT });
    expect((await open(browser, url)).location).toBe(SIGNED_OUT);
    expect(await isSignedIn()).toBe(false);
  });

  // Proves requirement 97.
  test("with a hint of another user needs confirmation", async () => {
    const otherTokens = await seedTokens(server, server.browser(), party, party.request(), await server.users.create());
    const url = party.logoutUrl({ id_token_hint: otherTokens.idToken, post_logout_redirect_uri: SIGNED_OUT });
    const page = await open(browser, url);
    expect(hasForm(page, "/logout/accept")).toBe(true);
    expect(await isSignedIn()).toBe(true);
  });

  test("with a hint of an earlier session of the same user needs confirmation", async () => {
    server.clock.advance(60);
    const later = server.browser();
    await seedTokens(server, later, party, party.request(), anna);
    const page = await open(later, party.logoutUrl({ id_token_hint: tokens.idToken }));
    expect(hasForm(page, "/logout/accept")).toBe(true);
  });

  test("by POST is the same as by GET", async () => {
    const [url = "", query = ""] = party.logoutUrl({ post_logout_redirect_uri: SIGNED_OUT }).split("?");
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: "http://localhost:9" };
    const page = await followRedirects(browser, await browser.send("POST", url, query, { headers }));
    expect(hasForm(page, "/logout/accept")).toBe(true);
    expect((await press(page, "/logout/accept")).location).toBe(SIGNED_OUT);
  });

  test("without an application needs confirmation too", async () => {
    const page = await open(browser, party.logoutUrl({ client_id: undefined }));
    expect(hasForm(page, "/logout/accept")).toBe(true);
    const end = await press(page, "/logout/accept");
    expect(new URL(end.url).pathname).toBe("/logout/callback");
  });

  test("without a session redirects at once", async () => {
    const signedOutBrowser = server.browser();
    const end = await open(signedOutBrowser, party.logoutUrl({ post_logout_redirect_uri: SIGNED_OUT, state: "s" }));
    expect(end.location).toBe(`${SIGNED_OUT}?state=s`);
    const signedOutPage = await open(signedOutBrowser, party.logoutUrl());
    expect([signedOutPage.status, new URL(signedOutPage.url).pathname]).toEqual([200, "/logout/callback"]);
  });

  // Proves requirement 148.
  test.each([
    ["en", "You are not signed in on this browser", /You are signed out|Signed out/],
    ["de", "In diesem Browser sind Sie nicht angemeldet", /Sie sind abgemeldet|Abgemeldet/],
  ])(
    "without the session cookie does not claim a sign-out, even with a valid hint (%s)",
    async (language, text, claim) => {
      const signedOutBrowser = server.browser(language);
      for (const parameters of [{ id_token_hint: tokens.idToken }, {}]) {
        const page = await open(signedOutBrowser, party.logoutUrl(parameters));
        expect([page.status, page.page().state()]).toMatchObject([200, { status: "no-session" }]);
        expect(page.page().text).toContain(text);
        expect(`${page.page().title} ${page.page().text}`).not.toMatch(claim);
      }
      expect(await isSignedIn()).toBe(true);
    },
  );
});

// Proves requirement 148.
describe("a logout with a hint whose key was removed", () => {
  let old: Tokens;

  beforeEach(async () => {
    old = await seedTokens(server, browser, party, party.request(), anna);
    await rotateSigningKeys(server.context, { now: true, removeOld: true });
    // A running server checks for new keys once a second.
    const { kid } = decodeProtectedHeader(old.idToken);
    const published = async () => (await fetchKeys(server.url)).keys.map((key) => key.kid);
    await expect.poll(published).not.toContain(kid);
  });

  test("needs confirmation, and returns to the requesting application", async () => {
    const url = party.logoutUrl({ id_token_hint: old.idToken, post_logout_redirect_uri: SIGNED_OUT, state: "s" });
    const page = await open(browser, url);
    expect([page.status, hasForm(page, "/logout/accept")]).toEqual([200, true]);
    expect(await isSignedIn()).toBe(true);
    expect((await press(page, "/logout/accept")).location).toBe(`${SIGNED_OUT}?state=s`);
    expect(await isSignedIn()).toBe(false);
  });

  test("takes the application from the hint if client_id is missing", async () => {
    const url = party.logoutUrl({
      client_id: undefined,
      id_token_hint: old.idToken,
      post_logout_redirect_uri: SIGNED_OUT,
    });
    expect((await press(await open(browser, url), "/logout/accept")).location).toBe(SIGNED_OUT);
  });

  test("redirects only to URIs registered for that application", async () => {
    const parameters = { id_token_hint: old.idToken, post_logout_redirect_uri: "https://evil.example/" };
    const page = await open(browser, party.logoutUrl(parameters));
    expect(new URL((await press(page, "/logout/accept")).url).pathname).toBe("/logout/callback");
  });

  test("without a session does not claim a sign-out", async () => {
    const page = await open(server.browser(), party.logoutUrl({ id_token_hint: old.idToken }));
    expect([page.status, page.page().state()]).toMatchObject([200, { status: "no-session" }]);
  });
});

// Proves requirement 97.
describe("a logout request that is not valid asks for confirmation, and does not return to the application,", () => {
  const NOT_RETURNING = "You will not return to the application";

  async function expectQuestionWithoutReturn(page: HttpResponse) {
    expect([page.status, new URL(page.url).pathname]).toEqual([200, "/logout"]);
    expect(page.page().text).toContain(NOT_RETURNING);
    expect(await isSignedIn()).toBe(true);
    const end = await press(page, "/logout/accept");
    expect([end.status, new URL(end.url).origin, new URL(end.url).pathname]).toEqual([
      200,
      server.url,
      "/logout/callback",
    ]);
    expect(await isSignedIn()).toBe(false);
  }

  test.each<[string, Parameters]>([
    ["with a post_logout_redirect_uri that is not registered", { post_logout_redirect_uri: "https://evil.example/" }],
    ["with one that differs by a slash", { post_logout_redirect_uri: `${SIGNED_OUT}/` }],
    ["with one that differs by a query", { post_logout_redirect_uri: `${SIGNED_OUT}?x=1` }],
    ["of an unknown application", { client_id: "nobody" }],
    ["with a hint that is undefined", { id_token_hint: "undefined", post_logout_redirect_uri: SIGNED_OUT }],
    ["with a hint that nobody signed", { id_token_hint: `${btoa('{"alg":"none"}')}.${btoa('{"aud":"x"}')}.` }],
    ["with a parameter twice", { state: ["one", "two"], post_logout_redirect_uri: SIGNED_OUT }],
    ["with the language twice", { ui_locales: ["de", "en"], post_logout_redirect_uri: SIGNED_OUT }],
  ])("%s", async (_name, parameters) => {
    await expectQuestionWithoutReturn(await open(browser, party.logoutUrl(parameters)));
  });

  test("with the hint of another application than client_id", async () => {
    const other = await server.clients.create({ firstParty: true });
    const parameters = { id_token_hint: tokens.idToken, client_id: other.clientId };
    await expectQuestionWithoutReturn(await open(browser, party.logoutUrl(parameters)));
  });

  test("with a hint whose claims were changed", async () => {
    const [header, payload = "", signature] = tokens.idToken.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: "somebody-else" })).toString("base64url");
    const parameters = { id_token_hint: `${header}.${forged}.${signature}`, post_logout_redirect_uri: SIGNED_OUT };
    await expectQuestionWithoutReturn(await open(browser, party.logoutUrl(parameters)));
  });

  test("by POST, in the language of ui_locales", async () => {
    const parameters = { post_logout_redirect_uri: `${SIGNED_OUT}/`, ui_locales: "de_DE" };
    const [url = "", query = ""] = party.logoutUrl(parameters).split("?");
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: "http://localhost:9" };
    const page = await followRedirects(browser, await browser.send("POST", url, query, { headers }));
    expect([page.status, page.page().lang]).toEqual([200, "de"]);
    expect(page.page().text).toContain("Sie kehren danach nicht zur Anwendung zurück");
  });

  test("also after the form has expired", async () => {
    const page = await open(browser, party.logoutUrl({ id_token_hint: "undefined" }));
    const again = await browser.submit(page, page.page().form("/logout/accept"), { _xsrf: "nonsense" });
    expect([again.status, again.page().text]).toEqual([403, expect.stringContaining(NOT_RETURNING)]);
  });

  test("and says so for this request alone", async () => {
    await open(browser, party.logoutUrl({ id_token_hint: "undefined" }));
    for (const parameters of [{}, { post_logout_redirect_uri: SIGNED_OUT }]) {
      const page = await open(browser, party.logoutUrl(parameters));
      expect(page.page().text).not.toContain(NOT_RETURNING);
    }
  });

  test("and without a session claims no sign-out", async () => {
    const parameters = { id_token_hint: "undefined", post_logout_redirect_uri: `${SIGNED_OUT}/` };
    const page = await open(server.browser(), party.logoutUrl(parameters));
    expect([page.status, page.page().state()]).toMatchObject([200, { status: "no-session" }]);
  });

  test("unless a program sent it, which gets the error as JSON", async () => {
    const url = party.logoutUrl({ post_logout_redirect_uri: `${SIGNED_OUT}/` });
    for (const accept of ["application/json", "*/*"]) {
      const response = await sendApiRequest(url, { headers: { accept } });
      expect([response.status, response.json()]).toEqual([
        400,
        { error: "invalid_request", error_description: "post_logout_redirect_uri not registered" },
      ]);
    }
  });
});

test("without client_id no redirect URI is accepted", async () => {
  const url = party.logoutUrl({ client_id: undefined, post_logout_redirect_uri: SIGNED_OUT });
  const end = await press(await open(browser, url), "/logout/accept");
  expect([end.location, new URL(end.url).pathname]).toEqual([null, "/logout/callback"]);
});

describe("after a logout", () => {
  // Proves requirement 59.
  test("the session's cookie is removed, and a copy of it is invalid", async () => {
    const thief = server.browser();
    for (const cookie of browser.jar.all()) {
      thief.jar.take(new URL(server.url), [`${cookie.name}=${cookie.value}; Path=${cookie.path}`]);
    }
    expect(await isSignedIn(thief)).toBe(true);
    await press(await open(browser, party.logoutUrl()), "/logout/accept");
    expect(browser.jar.find("gatehouse_session")).toBeNull();
    expect(await isSignedIn(thief)).toBe(false);
  });

  test("the access tokens of the session are invalid", async () => {
    await press(await open(browser, party.logoutUrl()), "/logout/accept");
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    expect((await party.introspect(tokens.accessToken)).json()).toEqual({ active: false });
  });

  test("the user's session in another browser stays valid", async () => {
    const other = server.browser();
    const otherTokens = await seedTokens(server, other, party, party.request(), anna);
    await press(await open(browser, party.logoutUrl()), "/logout/accept");
    expect(await isSignedIn(other)).toBe(true);
    expect((await party.userinfo(otherTokens.accessToken)).status).toBe(200);
  });

  test("responses forbid caching and clear caches", async () => {
    const page = await open(browser, party.logoutUrl());
    expect(page.headers["cache-control"]).toContain("no-store");
    const response = await browser.submit(page, page.page().form("/logout/accept"));
    expect(response.headers["clear-site-data"]).toContain('"cache"');
  });
});
