import { beforeEach, describe, expect, test } from "vitest";
import { sendApiRequest, type Tokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { seedSignIn, seedTokens } from "./browser-steps.ts";
import { codeOf } from "./responses.ts";

/** The engine's tolerance for clock differences between servers. */
const CLOCK_LEEWAY_SECONDS = 15;

const FORM = { "content-type": "application/x-www-form-urlencoded" };
let tokens: Tokens;

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true });
const url = `${server.url}/userinfo`;

beforeEach(async () => {
  tokens = await seedTokens(server, server.browser(), party, party.request(), anna);
});

describe("userinfo accepts the access token", () => {
  test.each(["GET", "POST"])("in the header of a %s", async (method) => {
    const response = await sendApiRequest(url, { method, headers: { authorization: `Bearer ${tokens.accessToken}` } });
    expect([response.status, response.json()]).toEqual([200, { sub: anna.id }]);
  });

  test("after more than one space", async () => {
    const response = await sendApiRequest(url, { headers: { authorization: `Bearer  ${tokens.accessToken}` } });
    expect([response.status, response.json()]).toEqual([200, { sub: anna.id }]);
  });

  test("in the body of a POST", async () => {
    const body = new URLSearchParams({ access_token: tokens.accessToken });
    const response = await sendApiRequest(url, { method: "POST", headers: FORM, body });
    expect([response.status, response.json()]).toEqual([200, { sub: anna.id }]);
  });

  test("and never in the URL, which is logged", async () => {
    const response = await sendApiRequest(`${url}?access_token=${tokens.accessToken}`);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.body).not.toContain(anna.id);
  });

  test("once: two at the same time are refused", async () => {
    const response = await sendApiRequest(url, {
      method: "POST",
      headers: { ...FORM, authorization: `Bearer ${tokens.accessToken}` },
      body: new URLSearchParams({ access_token: tokens.accessToken }),
    });
    expect([response.status, response.error()]).toEqual([400, "invalid_request"]);
  });
});

describe("userinfo refuses", () => {
  test("a call without a token, with WWW-Authenticate (RFC 6750 section 3)", async () => {
    const response = await sendApiRequest(url);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer realm=/);
  });

  test("other values: garbage, a code, an ID token, a refresh token", async () => {
    const offline = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });
    const request = offline.request({ scope: "openid offline" });
    const { refreshToken } = await seedTokens(server, server.browser(), offline, request, anna);
    expect(refreshToken).not.toBe("");
    const code = codeOf(await seedSignIn(server, server.browser(), party.request(), anna));
    for (const token of ["nonsense", code, refreshToken, tokens.idToken]) {
      const response = await party.userinfo(token);
      expect([response.status, response.error()]).toEqual([401, "invalid_token"]);
      expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
    }
  });

  test("a token that is ten minutes old", async () => {
    server.clock.advance(599);
    expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
    server.clock.advance(1 + CLOCK_LEEWAY_SECONDS);
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
  });

  test("a token without the scope openid", async () => {
    const request = party.request({ scope: "profile", nonce: undefined });
    const browser = server.browser();
    await seedTokens(server, browser, party, party.request(), anna);
    const code = new URL((await browser.get(request.url)).location ?? "").searchParams.get("code") ?? "";
    const { access_token } = (await party.exchange(code, request)).json();
    const response = await party.userinfo(String(access_token));
    expect([response.status, response.error()]).toEqual([403, "insufficient_scope"]);
  });
});

test("userinfo is not cacheable and sets no cookie", async () => {
  const response = await party.userinfo(tokens.accessToken);
  expect(response.headers.get("cache-control")).toContain("no-store");
  expect(response.headers.getSetCookie()).toEqual([]);
});

describe("across origins, userinfo", () => {
  test("responds to scripts of the application's own origin", async () => {
    const response = await sendApiRequest(url, {
      headers: { authorization: `Bearer ${tokens.accessToken}`, origin: new URL(party.redirectUri).origin },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe(new URL(party.redirectUri).origin);
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("does not respond to scripts of other origins", async () => {
    const response = await sendApiRequest(url, {
      headers: { authorization: `Bearer ${tokens.accessToken}`, origin: "https://else.example" },
    });
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(response.body).not.toContain(anna.id);
  });
});
