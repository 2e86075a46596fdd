import { describe, expect, test } from "vitest";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { allow, obtainTokens, open, signIn, typePassword } from "./browser-steps.ts";
import { codeOf, hasForm, redirectParameters } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create();

describe("a code", () => {
  // Proves requirement 92.
  test("is sent to the application with its state and the issuer, after sign-in and consent", async () => {
    const browser = server.browser();
    const request = party.request({ scope: "openid profile" });

    const form = await open(browser, request.url);
    expect(hasForm(form, "/login/native")).toBe(true);
    const question = await typePassword(browser, form, anna);
    expect(hasForm(question, "/consent/accept")).toBe(true);
    const end = await allow(browser, question);

    expect(end.location).toMatch(new RegExp(`^${party.redirectUri}\\?`));
    const { code, ...others } = redirectParameters(end);
    expect(code).toMatch(/^[\w-]{40,}$/);
    expect(others).toEqual({ state: request.state, iss: server.url });
  });

  test("is exchanged for tokens that no cache may store", async () => {
    const request = party.request();
    const response = await party.exchange(codeOf(await signIn(server.browser(), request, anna)), request);

    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("content-type")).toMatch(/^application\/json\b/);
    expect(readTokens(response)).toMatchObject({ scope: "openid", expiresInSeconds: 600, refreshToken: "" });
  });

  // Proves requirement 81.
  test("expires after 60 seconds", async () => {
    const browser = server.browser();
    const [early, late] = [party.request(), party.request()];
    const earlyCode = codeOf(await signIn(browser, early, anna));
    server.clock.advance(58);
    expect((await party.exchange(earlyCode, early)).status).toBe(200);

    const lateCode = codeOf(await signIn(browser, late, anna));
    server.clock.advance(61);
    const response = await party.exchange(lateCode, late);
    expect([response.status, response.error()]).toEqual([400, "invalid_grant"]);
  });

  test("is rejected for another application", async () => {
    const request = party.request();
    const code = codeOf(await signIn(server.browser(), request, anna));
    const other = await server.parties.create();
    const response = await other.exchange(code, request, { redirect_uri: party.redirectUri });
    expect([response.status, response.error()]).toEqual([400, "invalid_grant"]);
  });

  test("is rejected with another redirect URI than the requested one", async () => {
    for (const redirect_uri of [`${party.redirectUri}/`, "http://localhost:9/else", undefined]) {
      const request = party.request();
      const code = codeOf(await signIn(server.browser(), request, anna));
      const response = await party.exchange(code, request, { redirect_uri });
      expect(response.status).toBe(400);
    }
  });
});

describe("an ID token", () => {
  test("is signed with RS256 by a published key, for this application, user and request", async () => {
    const request = party.request();
    const { idToken } = await obtainTokens(server.browser(), party, request, anna);
    const { payload, protectedHeader } = await party.verifyIdToken(idToken);

    const now = Math.floor(server.clock.now().getTime() / 1000);
    expect(protectedHeader).toMatchObject({ alg: "RS256", kid: expect.any(String) });
    expect(payload).toMatchObject({
      iss: server.url,
      aud: party.clientId,
      sub: anna.id,
      nonce: request.nonce,
      iat: now,
      exp: now + 600,
      auth_time: now,
      acr: "urn:gatehouse:acr:password",
      amr: ["pwd"],
    });
  });

  test("is signed with ES256 for an application registered for it", async () => {
    const modern = await server.parties.create({ idTokenAlg: "ES256" });
    const { idToken } = await obtainTokens(server.browser(), modern, modern.request(), anna);
    const { payload, protectedHeader } = await modern.verifyIdToken(idToken);
    expect(protectedHeader.alg).toBe("ES256");
    expect(payload.sub).toBe(anna.id);
  });

  test("has no nonce if the application sent none", async () => {
    const request = party.request({ nonce: undefined, state: undefined });
    const end = await signIn(server.browser(), request, anna);
    expect(Object.keys(redirectParameters(end)).sort()).toEqual(["code", "iss"]);
    const { idToken } = readTokens(await party.exchange(codeOf(end), request));
    const { payload } = await party.verifyIdToken(idToken);
    expect(payload).not.toHaveProperty("nonce");
  });
});

test("an authorization request by POST continues as a GET with the same parameters", async () => {
  const request = party.request({ scope: "openid profile", state: "ä &=+%2B" });
  const browser = server.browser();
  const posted = await browser.send("POST", ENGINE_ROUTES.authorization, new URL(request.url).search.slice(1), {
    headers: { "content-type": "application/x-www-form-urlencoded", origin: "http://localhost:9" },
  });
  expect(posted.status).toBe(303);
  const { pathname, searchParams } = new URL(posted.location ?? "");
  expect(pathname).toBe(ENGINE_ROUTES.authorization);
  expect(Object.fromEntries(searchParams)).toEqual(Object.fromEntries(new URL(request.url).searchParams));

  const end = await signIn(browser, { ...request, url: posted.location ?? "" }, anna);
  expect(redirectParameters(end)).toMatchObject({ state: "ä &=+%2B" });
});

// Proves requirement 94.
test("the redirect after a password is a 303, so that no browser resends the password", async () => {
  const browser = server.browser();
  const form = await open(browser, party.request().url);
  const { username, password } = anna;
  const response = await browser.submit(form, form.page().form("/login/native"), { username, password });
  expect(response.status).toBe(303);
});
