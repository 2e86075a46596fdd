import { describe, expect, test } from "vitest";
import { serverOfFile } from "#tests/support/server.ts";
import { followRedirects, open, seedSignIn, typePassword } from "./browser-steps.ts";
import { hasForm, redirectParameters } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const scopes = ["openid", "profile", "offline"];
const party = await server.parties.create({ scopes });
const own = await server.parties.create({ scopes, firstParty: true });

const REFUSED = [
  ["that nobody knows", "openid profile nonsense"],
  ["that the application may not have", "openid orders"],
  ["that differs in case", "openid Profile"],
] as const;

describe.each(REFUSED)("a scope %s", (_name, scope) => {
  // Proves requirement 98.
  test("is shown after the sign-in, with a link that returns the error to the application", async () => {
    const browser = server.browser();
    const request = party.request({ scope });
    const form = await open(browser, request.url);
    expect(hasForm(form, "/login/native")).toBe(true);
    const page = await typePassword(browser, form, anna);

    expect(page.status).toBe(400);
    const state = page.page().state();
    expect(state).toMatchObject({ error: "invalid-scope-requested", scopes: [], client: { name: expect.any(String) } });
    expect(hasForm(page, "/consent/accept")).toBe(false);
    expect(hasForm(page, "/consent/reject")).toBe(false);

    const errorRedirect = new URL(String(state.redirect_uri));
    expect(errorRedirect.origin + errorRedirect.pathname).toBe(party.redirectUri);
    expect(Object.fromEntries(errorRedirect.searchParams)).toMatchObject({
      error: "invalid_scope",
      state: request.state,
      iss: server.url,
    });
    expect(page.page().all("a", { href: errorRedirect.href })).toHaveLength(1);
  });

  test("is shown for first-party applications too, which skip consent", async () => {
    const browser = server.browser();
    const page = await typePassword(browser, await open(browser, own.request({ scope }).url), anna);
    expect(page.page().state()).toMatchObject({ error: "invalid-scope-requested" });
  });

  test("is shown even if the user has allowed all other scopes before", async () => {
    const browser = server.browser();
    await seedSignIn(server, browser, party.request({ scope: "openid profile" }), anna);
    const page = await open(browser, party.request({ scope }).url);
    expect(page.page().state()).toMatchObject({ error: "invalid-scope-requested" });
  });

  test("is invalid_scope at once with prompt=none", async () => {
    const browser = server.browser();
    await seedSignIn(server, browser, own.request(), anna);
    const request = own.request({ scope, prompt: "none" });
    expect(redirectParameters(await open(browser, request.url))).toMatchObject({
      error: "invalid_scope",
      state: request.state,
      iss: server.url,
    });
  });
});

test("offline_access, if not allowed for the application, is refused only with prompt=consent", async () => {
  const browser = server.browser();
  const scope = "openid offline_access";
  const end = await seedSignIn(server, browser, own.request({ scope }), anna);
  expect(redirectParameters(end)).toHaveProperty("code");
  const page = await open(browser, own.request({ scope, prompt: "consent" }).url);
  expect(page.page().state()).toMatchObject({ error: "invalid-scope-requested", scopes: [] });
});

describe("a refused scope", () => {
  // Proves requirement 90.
  test("cannot be granted by a forged form", async () => {
    const browser = server.browser();
    const page = await typePassword(browser, await open(browser, party.request({ scope: "openid orders" }).url), anna);
    const { consent_challenge, xsrf_token } = page.page().state();
    const response = await browser.post(`${server.url}/consent/accept`, {
      consent_challenge: String(consent_challenge),
      _xsrf: String(xsrf_token),
      scopes: ["openid", "orders"],
    });
    expect([response.status, response.location]).toEqual([400, null]);
  });

  test("can be returned to the application by a posted reject too", async () => {
    const browser = server.browser();
    const request = party.request({ scope: "openid orders", response_mode: "form_post" });
    const page = await typePassword(browser, await open(browser, request.url), anna);
    expect(page.page().state()).not.toHaveProperty("redirect_uri");
    const end = await followRedirects(browser, await browser.submit(page, page.page().form("/consent/reject")));
    const fields = Object.fromEntries(end.page().forms()[0]?.fields ?? []);
    expect(fields).toMatchObject({ state: request.state, iss: server.url });
    expect(fields.error).toMatch(/^(access_denied|invalid_scope)$/);
  });

  test("that the application marks itself only makes its own request fail", async () => {
    const browser = server.browser();
    await seedSignIn(server, browser, own.request(), anna);
    const request = own.request({ gatehouse_refused_scope: "orders" });
    const page = await open(browser, request.url);
    expect(page.location === null || !redirectParameters(page).code).toBe(true);
  });
});

test("the error is in the fragment if the application requested that response mode", async () => {
  const browser = server.browser();
  const request = party.request({ scope: "openid orders", response_mode: "fragment" });
  const page = await typePassword(browser, await open(browser, request.url), anna);
  const errorRedirect = new URL(String(page.page().state().redirect_uri));
  expect(errorRedirect.search).toBe("");
  expect(Object.fromEntries(new URLSearchParams(errorRedirect.hash.slice(1)))).toMatchObject({
    error: "invalid_scope",
    state: request.state,
    iss: server.url,
  });
});

test("characters that no scope can contain are refused before the sign-in", async () => {
  for (const scope of ['openid "x"', "openid\\x", "openid ümlaut"]) {
    const parameters = redirectParameters(await open(server.browser(), party.request({ scope }).url));
    expect(parameters).toMatchObject({ error: "invalid_scope", iss: server.url });
  }
});
