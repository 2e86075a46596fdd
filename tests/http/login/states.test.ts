import { beforeEach, describe, expect, test } from "vitest";
import { open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { openForm, stateOf } from "./open-form.ts";

let browser: Browser;

/** The interaction's id, a MAC, and the encrypted interaction (RFC 7516 section 3.1). */
const CHALLENGE = /^[\w-]{43}\.[\w-]{43}\.[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/;

const TOKENS = { login_challenge: expect.stringMatching(CHALLENGE), xsrf_token: expect.any(String) };

/** The state of the sign-in form. */
const FORM = { ...TOKENS, reg_hints: [] };

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true });

beforeEach(() => {
  browser = server.browser();
});

function fieldsOf(response: HttpResponse, path: string) {
  return response
    .page()
    .form(path)
    .fields.map(([name]) => name)
    .sort();
}

function codesOf(response: HttpResponse) {
  return response
    .page()
    .all("div")
    .flatMap(({ attributes }) => attributes["data-code"] ?? []);
}

describe("the sign-in form", () => {
  test("posts user name, password, challenge and anti-forgery token to /login/native", async () => {
    const page = await open(browser, party.request().url);
    expect([page.status, page.page().title]).toEqual([200, "Sign in | Gatehouse"]);
    expect(fieldsOf(page, "/login/native")).toEqual(["_xsrf", "login_challenge", "password", "username"]);
    expect(page.page().form("/login/native").method).toBe("post");
    expect(stateOf(page)).toEqual(FORM);
    const resetHref = `/password-reset/request-form?login_challenge=${String(stateOf(page).login_challenge)}`;
    expect(page.page().one("button", { formaction: resetHref }).text).toBe("Forgot your password?");
  });

  test("is the same page at each of its addresses", async () => {
    const { challenge } = await openForm(browser, party.request().url);
    for (const path of ["/login", "/login/native", "/login/proceed"]) {
      const page = await browser.get(`${path}?login_challenge=${challenge}`);
      expect([path, page.status, stateOf(page)]).toEqual([path, 200, { ...FORM, login_challenge: challenge }]);
    }
  });

  test("contains the user name from the application's login_hint", async () => {
    const page = await open(browser, party.request({ login_hint: anna.username }).url);
    expect(page.page().one("input", { name: "username" }).attributes.value).toBe(anna.username);
  });
});

describe("a refused sign-in", () => {
  // Proves requirement 28.
  test("is a 401 with the code credentials; the user name is kept, the password never", async () => {
    const form = await openForm(browser, party.request().url);
    const page = await form.post({ username: anna.username, password: "Wrong-Window-27-Oak" });
    expect([page.status, page.page().title]).toEqual([401, "Error: Sign in | Gatehouse"]);
    expect(stateOf(page)).toEqual({ ...FORM, error: "credentials", login_challenge: form.challenge });
    expect(codesOf(page)).toEqual(["credentials"]);
    expect(page.page().text).toContain("Login failed!");
    expect(page.page().one("input", { name: "username" }).attributes.value).toBe(anna.username);
    expect(page.page().one("input", { name: "password" }).attributes).not.toHaveProperty("value");
    expect(page.body).not.toContain("Wrong-Window");
  });

  test("has a working form", async () => {
    const form = await openForm(browser, party.request().url);
    const page = await form.post({ username: anna.username, password: "Wrong-Window-27-Oak" });
    const end = await typePassword(browser, page, anna);
    expect(end.location).toContain(party.redirectUri);
  });

  test.each([
    ["both fields", { username: "", password: "" }, "username is empty"],
    ["the user name", { username: "", password: "Ledger-Window-27-Oak" }, "username is empty"],
    ["the password", { username: "anna", password: "" }, "empty-password"],
  ])("without %s is a 400 with the reason", async (_what, typed, error) => {
    const form = await openForm(browser, party.request().url);
    const page = await form.post(typed);
    expect([page.status, stateOf(page)]).toEqual([400, { ...FORM, error }]);
    expect(page.page().one("input", { name: "username" }).attributes.value).toBe(typed.username);
    expect(page.body).not.toContain("Ledger-Window-27-Oak");
  });

  test("with fields left out is the same as with empty ones", async () => {
    const form = await openForm(browser, party.request().url);
    expect(stateOf(await form.post({}))).toEqual({ ...FORM, error: "username is empty" });
  });
});

describe("an invalid challenge", () => {
  const wrong = [
    "",
    "?login_challenge=",
    "?login_challenge=nothing",
    `?login_challenge=${"a".repeat(43)}.${"b".repeat(43)}`,
  ];

  test.each(wrong)("is a 400 with disabled inputs and a link to the application: /login%s", async (query) => {
    const page = await browser.get(`/login${query}`);
    expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
    expect(page.page().text).toContain("Login-Challenge is empty or invalid!");
    for (const name of ["username", "password"]) {
      expect(page.page().one("input", { name }).attributes).toHaveProperty("disabled");
    }
    expect(
      page
        .page()
        .form("/login/native")
        .buttons.every(({ disabled }) => disabled),
    ).toBe(true);
    expect(page.page().one("a", { class: "button" }).attributes.href).toBe(server.context.config.appUrl);
  });

  test("checks no password", async () => {
    const { xsrf } = await openForm(browser, party.request().url);
    const before = server.lines().length;
    const typed = { username: anna.username, password: anna.password };
    const page = await browser.post("/login/native", { _xsrf: xsrf, login_challenge: "nothing", ...typed });
    expect([page.status, stateOf(page).error, page.location]).toEqual([400, "challenge", null]);
    const events = server.lines().slice(before);
    expect(events.filter(({ event }) => String(event).startsWith("sign-in"))).toEqual([]);
  });
});

describe("a used challenge", () => {
  test("shows the result of the sign-in while the session lives, with a link to the application", async () => {
    const form = await openForm(browser, party.request().url);
    await typePassword(browser, form.page, anna);
    for (const page of [await browser.get(form.page.url), await form.post(typed())]) {
      expect([page.status, page.location]).toEqual([200, null]);
      const { login_result, error } = stateOf(page);
      expect(error).toBeUndefined();
      expect(login_result).toEqual({ status: "success", code: null, to_app_url: server.context.config.appUrl });
    }
  });

  test("links the application's initiate_login_uri if it has one", async () => {
    const suite = await server.parties.create({ firstParty: true, initiateLoginUri: "https://suite.example/start" });
    const form = await openForm(browser, suite.request().url);
    await typePassword(browser, form.page, anna);
    const page = await browser.get(form.page.url);
    expect(stateOf(page).login_result).toMatchObject({ to_app_url: "https://suite.example/start" });
    expect(page.page().one("a", { class: "button" }).attributes.href).toBe("https://suite.example/start");
  });

  test("is a 400 with a next step when no user is signed in any more", async () => {
    const form = await openForm(browser, party.request().url);
    await typePassword(browser, form.page, anna);
    browser.jar.clear("gatehouse_session");
    const page = await browser.get(form.page.url);
    expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
    expect(page.page().one("a", { class: "button" }).attributes.href).toBe(server.context.config.appUrl);
  });

  const typed = () => ({ username: anna.username, password: anna.password });
});

test('"You are logged in as" posts user, proceed, challenge and anti-forgery token to /login/proceed', async () => {
  await signIn(browser, party.request(), anna);
  const page = await open(browser, party.request({ prompt: "select_account" }).url);
  const name = anna.displayName;
  expect([page.status, page.page().title]).toEqual([200, `Continue as ${name} | Gatehouse`]);
  expect(stateOf(page)).toEqual({ ...FORM, login_hint: { id: anna.id, name } });
  expect(fieldsOf(page, "/login/proceed")).toEqual(["_xsrf", "login_challenge", "proceed", "user"]);
  expect(page.page().form("/login/proceed").fields).toContainEqual(["proceed", "1"]);
});
