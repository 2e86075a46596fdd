import { beforeEach, describe, expect, test } from "vitest";
import { refusalOf, stateOf, tokensOf } from "#tests/http/login/open-form.ts";
import { allow, followRedirects, open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import type { Parameters } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";

const NAME = "Tidewater Claims";
const POLICY = "https://tidewater.example/privacy";
let anna: TestUser;
let browser: Browser;

const server = await serverOfFile();
const party = await server.parties.create({ name: NAME, policyUri: POLICY, scopes: ["openid", "profile", "email"] });

beforeEach(async () => {
  anna = await server.users.create();
  browser = server.browser();
});

async function requestConsent(changes: Parameters): Promise<HttpResponse> {
  return typePassword(browser, await open(browser, party.request(changes).url), anna);
}

const fieldsOf = (page: HttpResponse, path: string) =>
  page
    .page()
    .form(path)
    .fields.map(([name, value]) => [name, value]);

describe("the consent page", () => {
  test("names application and account, and posts every scope beside challenge and token", async () => {
    const page = await requestConsent({ scope: "openid profile email" });
    const { consent_challenge, xsrf_token } = tokensOf(page);
    expect([page.status, page.page().title]).toEqual([200, "Allow access | Gatehouse"]);
    expect(stateOf(page)).toEqual({
      client: { name: NAME, policy_uri: POLICY },
      scopes: [{ id: "openid" }, { id: "profile" }, { id: "email" }],
      consent_challenge,
      xsrf_token,
    });
    const fields = [
      ["_xsrf", xsrf_token],
      ["consent_challenge", consent_challenge],
      ["scopes", "openid"],
      ["scopes", "profile"],
      ["scopes", "email"],
    ];
    expect(fieldsOf(page, "/consent/accept")).toEqual(fields);
    expect(fieldsOf(page, "/consent/reject")).toEqual(fields);
    expect(page.page().text).toContain(`${NAME} would like to access your account`);
    expect(page.page().text).toContain(`Signed in as ${anna.displayName}`);
    expect(page.page().text).toContain("Afterwards you will be taken to localhost:9.");
    expect(page.page().one("a", { href: POLICY }).text).toBe(`Privacy policy of ${NAME}`);
  });

  test("is the same at each of its addresses", async () => {
    const { consent_challenge } = tokensOf(await requestConsent({}));
    for (const path of ["/consent", "/consent/accept", "/consent/reject"]) {
      const page = await browser.get(`${path}?consent_challenge=${consent_challenge}`);
      expect([path, page.status, tokensOf(page).consent_challenge]).toEqual([path, 200, consent_challenge]);
    }
  });

  test("requests only scopes that were not granted before", async () => {
    await allow(browser, await requestConsent({ scope: "openid profile" }));
    const page = await open(browser, party.request({ scope: "openid profile email" }).url);
    expect(stateOf(page).scopes).toEqual([{ id: "email" }]);
  });
});

test("rejecting redirects with access_denied", async () => {
  const request = party.request();
  const page = await typePassword(browser, await open(browser, request.url), anna);
  const end = await followRedirects(browser, await browser.submit(page, page.page().form("/consent/reject")));
  expect(redirectParameters(end)).toMatchObject({ error: "access_denied", state: request.state, iss: server.url });
  expect(redirectParameters(end)).not.toHaveProperty("code");
});

test("going back after rejecting shows that nothing was shared, and does not restart the request", async () => {
  const page = await typePassword(browser, await open(browser, party.request().url), anna);
  await followRedirects(browser, await browser.submit(page, page.page().form("/consent/reject")));
  const again = await browser.get(page.url);
  expect([again.status, again.location]).toEqual([200, null]);
  expect(stateOf(again)).toMatchObject({ status: "rejected", client: { name: NAME }, scopes: [] });
  expect(again.page().forms()).toEqual([]);
});

describe("a request for scopes that the application may not have", () => {
  test("cannot be allowed: scopes are hidden, rejecting is a link that carries the error", async () => {
    const request = party.request({ scope: "openid profile permissions" });
    const page = await typePassword(browser, await open(browser, request.url), anna);
    expect(refusalOf(page)).toEqual({ status: 400, error: "invalid-scope-requested" });
    const { scopes, redirect_uri, client } = stateOf(page);
    expect([scopes, client]).toEqual([[], { name: NAME, policy_uri: POLICY }]);
    const link = new URL(String(redirect_uri));
    expect(link.href.startsWith(party.redirectUri)).toBe(true);
    expect(Object.fromEntries(link.searchParams)).toMatchObject({
      error: "invalid_scope",
      state: request.state,
      iss: server.url,
    });
    expect(page.page().forms()).toEqual([]);
    expect(page.page().one("a", { href: link.href }).text).toBe("Reject");
    expect(page.page().text).toContain("requested");
  });

  test("is not granted by a forged form", async () => {
    const page = await requestConsent({ scope: "openid permissions" });
    const { consent_challenge, xsrf_token: _xsrf } = tokensOf(page);
    const fields = { _xsrf, consent_challenge, scopes: ["openid", "permissions"] };
    const posted = await browser.post("/consent/accept", fields);
    expect([posted.status, posted.location]).toEqual([400, null]);
    expect(redirectParameters(await browser.get(party.request({ prompt: "none" }).url))).toMatchObject({
      error: "consent_required",
    });
  });
});

describe("an invalid consent challenge", () => {
  test.each([
    "",
    "?consent_challenge=",
    "?consent_challenge=nothing",
    `?consent_challenge=${"a".repeat(43)}.${"b".repeat(43)}`,
  ])("is a 400 that names no application: /consent%s", async (query) => {
    const page = await browser.get(`/consent${query}`);
    expect(refusalOf(page)).toEqual({ status: 400, error: "challenge" });
    expect(stateOf(page)).toMatchObject({ client: null, scopes: [] });
    expect(page.page().forms()).toEqual([]);
    expect(page.page().one("a", { class: "button" }).attributes.href).toBe(server.context.config.appUrl);
  });
});
