import { eq } from "drizzle-orm";
import { SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import type { Browser } from "#tests/support/browser-jar.ts";
import { encodeParameters } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open, seedSignIn, typePassword } from "./browser-steps.ts";
import { hasForm, redirectParameters } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true });

describe("optional parameters of OpenID Connect Core are ignored", () => {
  test.each([
    ["display", "popup"],
    ["display", "nonsense"],
    ["claims_locales", "de fr"],
    ["acr_values", "urn:else:1 urn:else:2"],
    ["utm_source", "newsletter"],
    ["constructor", "x"],
    ["__proto__", "x"],
  ])("%s=%s", async (name, value) => {
    const request = party.request();
    const url = `${request.url}&${encodeParameters({ [name]: value })}`;
    const end = await seedSignIn(server, server.browser(), { ...request, url }, anna);
    expect(redirectParameters(end)).toMatchObject({ code: expect.any(String), state: request.state });
  });
});

// Proves requirement 92.
describe("an unsupported parameter is refused with its own error code, state and issuer", () => {
  test("a request object", async () => {
    const inside = party.request();
    const object = await new SignJWT(inside.parameters)
      .setProtectedHeader({ alg: "HS256" })
      .sign(Buffer.from("a key of the application, long enough"));
    const request = party.request({ request: object });
    const { error, state, iss } = redirectParameters(await open(server.browser(), request.url));
    expect({ error, state, iss }).toEqual({ error: "request_not_supported", state: inside.state, iss: server.url });
  });

  test("a request object at a URL, which is not fetched", async () => {
    const request = party.request({ request_uri: "https://app.example/request.jwt" });
    const { error, state, iss } = redirectParameters(await open(server.browser(), request.url));
    expect({ error, state, iss }).toEqual({
      error: "request_uri_not_supported",
      state: request.state,
      iss: server.url,
    });
  });

  test("a registration in the request", async () => {
    const request = party.request({ registration: "{}" });
    const parameters = redirectParameters(await open(server.browser(), request.url));
    expect(parameters).toMatchObject({ error: "registration_not_supported", state: request.state, iss: server.url });
  });

  test.each(["token", "id_token", "id_token token", "code id_token", "code token", "device_code"])(
    "response_type %s",
    async (response_type) => {
      const request = party.request({ response_type });
      const parameters = redirectParameters(await open(server.browser(), request.url));
      expect(parameters).toMatchObject({ error: "unsupported_response_type", state: request.state, iss: server.url });
      expect(Object.keys(parameters)).not.toEqual(expect.arrayContaining(["code"]));
    },
  );

  test("response_type none, which only the settings client may use", async () => {
    const request = party.request({ response_type: "none" });
    const parameters = redirectParameters(await open(server.browser(), request.url));
    expect(parameters).toMatchObject({ error: "invalid_request", state: request.state, iss: server.url });
    expect(parameters.error_description).toContain("response_type is not allowed for this client");
  });

  test("a request without response_type", async () => {
    const parameters = redirectParameters(
      await open(server.browser(), party.request({ response_type: undefined }).url),
    );
    expect(parameters).toMatchObject({ error: "invalid_request", iss: server.url });
  });

  test("a request for another resource", async () => {
    const request = party.request({ resource: "https://api.example" });
    const parameters = redirectParameters(await open(server.browser(), request.url));
    expect(parameters).toMatchObject({ error: "invalid_target", state: request.state, iss: server.url });
  });
});

describe("a repeated parameter is refused", () => {
  test.each(["scope", "nonce", "prompt", "code_challenge", "login_hint", "max_age", "response_mode", "claims"])(
    "to the application: %s",
    async (name) => {
      const values = ["openid", "openid"];
      const request = party.request({ [name]: values });
      const response = await open(server.browser(), request.url);
      expect(redirectParameters(response)).toMatchObject({ error: "invalid_request", iss: server.url });
    },
  );

  test.each(["client_id", "redirect_uri"])("on our page, because it determines the redirect: %s", async (name) => {
    const value = String(party.request().parameters[name]);
    const response = await open(server.browser(), party.request({ [name]: [value, value] }).url);
    expect([response.status, new URL(response.url).pathname]).toEqual([400, "/error"]);
  });

  test("state, which is then not returned", async () => {
    const parameters = redirectParameters(await open(server.browser(), party.request({ state: ["one", "two"] }).url));
    expect(parameters).toMatchObject({ error: "invalid_request" });
    expect(parameters).not.toHaveProperty("state");
  });
});

describe("the user's page", () => {
  test("has the user name filled in from login_hint, as text", async () => {
    const hint = `anna"><b>&'`;
    const page = await open(server.browser(), party.request({ login_hint: hint }).url);
    const { fields } = page.page().form("/login/native");
    expect(Object.fromEntries(fields)).toMatchObject({ username: hint });
  });

  test("accepts a sign-in of another user than login_hint", async () => {
    const request = party.request({ login_hint: "somebody.else" });
    expect(redirectParameters(await seedSignIn(server, server.browser(), request, anna))).toHaveProperty("code");
  });

  test("uses the first supported language of ui_locales", async () => {
    for (const [ui_locales, lang] of [
      ["de", "de"],
      ["fr de-AT en", "de"],
      ["de_DE", "de"],
      ["fr", "en"],
    ]) {
      const page = await open(server.browser("en"), party.request({ ui_locales }).url);
      expect([ui_locales, page.page().lang]).toEqual([ui_locales, lang]);
    }
  });

  test("uses the browser's language without ui_locales", async () => {
    const page = await open(server.browser("de-CH,fr;q=0.5"), party.request().url);
    expect(page.page().lang).toBe("de");
  });
});

describe("openid", () => {
  test("may be omitted: the application then gets no ID token", async () => {
    const request = party.request({ scope: "profile", nonce: undefined });
    const end = await seedSignIn(server, server.browser(), request, anna);
    const { code = "" } = redirectParameters(end);
    const response = await party.exchange(code, request);
    expect([response.status, Object.keys(response.json())]).toEqual([200, expect.not.arrayContaining(["id_token"])]);
  });

  test("is required for parameters of the ID token", async () => {
    const parameters = redirectParameters(await open(server.browser(), party.request({ scope: "profile" }).url));
    expect(parameters).toMatchObject({ error: "invalid_request", iss: server.url });
  });
});

test("a parameter of four kilobytes is accepted", async () => {
  const request = party.request({ state: "x".repeat(4_000) });
  const browser = server.browser();
  const form = await open(browser, request.url);
  expect(hasForm(form, "/login/native")).toBe(true);
  expect(redirectParameters(await typePassword(browser, form, anna)).state).toBe(request.parameters.state);
});

test.each([
  ["to the authorization endpoint", async () => party.request().url, "GET, POST"],
  [
    "that resumes a request",
    async (browser: Browser) => {
      const page = await open(browser, party.request({ prompt: "login" }).url);
      const { username, password } = anna;
      const answered = await browser.submit(page, page.page().form("/login/native"), { username, password });
      return answered.location ?? "";
    },
    "GET",
  ],
])("a HEAD request %s signs in to no application, also in a session", async (_where, urlOf, allowed) => {
  const browser = server.browser();
  redirectParameters(await seedSignIn(server, browser, party.request(), anna));
  const url = await urlOf(browser);
  const { q, t } = server.context.store;
  const countCodes = () => q.$count(t.oidcRecords, eq(t.oidcRecords.model, "AuthorizationCode"));
  const codes = await countCodes();
  const response = await browser.send("HEAD", url, null);
  expect([response.status, response.headers.allow, response.location]).toEqual([405, allowed, null]);
  expect(await countCodes()).toBe(codes);
  expect(redirectParameters(await browser.get(url))).toMatchObject({ code: expect.any(String) });
});
