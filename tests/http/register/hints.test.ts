import { beforeEach, describe, expect, test } from "vitest";
import { openForm, refusalOf, stateOf } from "#tests/http/login/open-form.ts";
import { open, signIn } from "#tests/http/oidc/browser-steps.ts";
import { hasForm, redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { createRelyingParty, encodeParameters } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createRegistrar, HINTS, openSignIn, pressCreate, startRegistration, tokenOf } from "./steps.ts";

let browser: Browser;

const server = await serverOfFile();
const party = await createRegistrar(server);

beforeEach(() => {
  browser = server.browser();
});

const BOTH = { email: "eva@office.example", name: "Eva Brandt" };

async function hintsOf(token: string): Promise<unknown> {
  return (await party.redeem(token)).json().hints;
}

describe("hints of a request", () => {
  test("are accepted in a posted request and in a pushed one, too", async () => {
    const { parameters } = party.request(HINTS);
    const posted = await browser.send("POST", "/oauth2/auth", encodeParameters(parameters), {
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const form = await open(browser, posted.location ?? "");
    expect(await hintsOf(tokenOf(await pressCreate(browser, form)))).toEqual(BOTH);

    const pushed = await party.push(party.request(HINTS));
    const query = { client_id: party.clientId, request_uri: String(pushed.json().request_uri) };
    const later = await open(browser, `/oauth2/auth?${encodeParameters({ ...query, "reg_hints[name]": "Mallory" })}`);
    expect(await hintsOf(tokenOf(await pressCreate(browser, later)))).toEqual(BOTH);
  });

  test.each([
    ["that the client has not declared", { "reg_hints[role]": "admin", "reg_hints[__proto__]": "x", reg_hints: "x" }],
    ["of more than 200 characters", { "reg_hints[email]": "x".repeat(201) }],
    ["that are empty", { "reg_hints[email]": "  " }],
    ["that contain control characters", { "reg_hints[email]": "a\nb" }],
    ["that occur twice", { "reg_hints[email]": ["a", "b"] }],
    ["under the internal parameter name", { gatehouse_reg_hints: '[{"key":"email","value":"x"}]' }],
  ])("%s are ignored, and the sign-in continues", async (_what, hints) => {
    const page = await openSignIn(browser, party, hints);
    expect([stateOf(page).reg_hints, hasForm(page, "/register"), hasForm(page, "/login/native")]).toEqual([
      [],
      false,
      true,
    ]);
  });

  test("have 200 characters, markup as text among them", async () => {
    const value = `"><script>${"ä".repeat(190)}`;
    const page = await openSignIn(browser, party, { "reg_hints[email]": value });
    expect(stateOf(page).reg_hints).toEqual([{ key: "email", value }]);
    expect(page.body).not.toContain(`"><script>ä`);
  });

  test("are ten at most", async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `key${index}`);
    const many = await createRegistrar(server, { regHints: keys });
    const hints = Object.fromEntries(keys.map((key) => [`reg_hints[${key}]`, key]));
    const page = await openSignIn(browser, many, hints);
    expect(stateOf(page).reg_hints).toEqual(keys.slice(0, 10).map((key) => ({ key, value: key })));
  });

  test("are not read back from the form", async () => {
    const page = await openSignIn(browser, party);
    const forged = await pressCreate(browser, page, { "hints[email]": "mallory@evil.example" });
    expect(await hintsOf(tokenOf(forged))).toEqual(BOTH);
    const { login_challenge, xsrf_token } = stateOf(page);
    const more = await browser.post("/register", {
      _xsrf: String(xsrf_token),
      login_challenge: String(login_challenge),
      "hints[role]": "admin",
      "hints[0]": "x",
    });
    expect(await hintsOf(tokenOf(more))).toEqual(BOTH);
  });

  test("are in no address that this server sends the browser to, and in no log line", async () => {
    const page = await openSignIn(browser, party);
    expect(page.url).not.toContain("Brandt");
    await startRegistration(server.browser(), party);
    expect(JSON.stringify(server.lines())).not.toContain("Brandt");
  });

  test("do not affect a user with an account", async () => {
    const anna = await server.users.create();
    expect(redirectParameters(await signIn(browser, party.request(HINTS), anna))).toHaveProperty("code");
  });
});

describe("the form for an account", () => {
  test("has the specification's fields", async () => {
    const page = await openSignIn(browser, party);
    expect(page.page().form("/register").fields).toEqual([
      ["_xsrf", expect.any(String)],
      ["login_challenge", stateOf(page).login_challenge],
      ["hints[email]", "eva@office.example"],
      ["hints[name]", "Eva Brandt"],
    ]);
  });

  test("is refused without its anti-forgery token, and shown again with a fresh one", async () => {
    const page = await openSignIn(browser, party);
    const refused = await pressCreate(browser, page, { _xsrf: "stale" });
    expect(refusalOf(refused)).toEqual({ status: 403, error: "xsrf" });
    expect((await pressCreate(browser, refused)).status).toBe(303);
  });

  test("is refused in another browser, and without a request", async () => {
    const page = await openSignIn(browser, party);
    const other = await openForm(server.browser(), party.request(HINTS).url);
    const { login_challenge } = stateOf(page);
    const fields = { _xsrf: other.xsrf, login_challenge: String(login_challenge) };
    expect(refusalOf(await other.browser.post("/register", fields))).toEqual({ status: 400, error: "challenge" });
    const nothing = await browser.post("/register", { _xsrf: other.xsrf, login_challenge: "" });
    expect(refusalOf(nothing)).toEqual({ status: 400, error: "challenge" });
  });

  test("accepts no other field", async () => {
    const page = await openSignIn(browser, party);
    const { login_challenge, xsrf_token } = stateOf(page);
    const fields = { _xsrf: String(xsrf_token), login_challenge: String(login_challenge), "hints[a][b]": "x" };
    expect((await browser.post("/register", fields)).status).toBe(400);
  });

  test("is not shown for an application without registration, whose post is refused", async () => {
    const client = await server.clients.create({ firstParty: true });
    const form = await openForm(browser, createRelyingParty({ issuer: server.url, client }).request(HINTS).url);
    expect([stateOf(form.page).reg_hints, hasForm(form.page, "/register")]).toEqual([[], false]);
    const response = await browser.post("/register", { _xsrf: form.xsrf, login_challenge: form.challenge });
    expect([response.status, response.location]).toEqual([400, null]);
    const { t, q } = server.context.store;
    const rows = await q.select().from(t.oneTimeTokens);
    expect(rows.filter(({ clientId }) => clientId === client.clientId)).toEqual([]);
  });
});
