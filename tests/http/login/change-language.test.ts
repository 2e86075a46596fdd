import { beforeEach, expect, test } from "vitest";
import { HOUR_SECONDS } from "#app/durations.ts";
import { open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { changeLanguage, pressKeepName } from "./change-language.ts";
import { stateOf } from "./open-form.ts";

const TYPED = { username: "typed.name@office.example", password: "Typed-Window-27-Oak" };
let browser: Browser;
let anna: TestUser;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  browser = server.browser("en");
  anna = await server.users.create();
});

const openSignIn = (parameters: Record<string, string> = {}) => open(browser, party.request(parameters).url);
const usernameIn = (page: HttpResponse) => page.page().one("input", { id: "username" }).attributes.value;

test("a change of the language keeps the typed user name and drops the password", async () => {
  const form = await openSignIn();
  const german = await changeLanguage(browser, form, { to: "de", ...TYPED });
  expect([german.status, german.page().lang, usernameIn(german)]).toEqual([200, "de", TYPED.username]);
  expect(german.body).not.toContain(TYPED.password);
  const english = await changeLanguage(browser, german, { to: "en" });
  expect([english.page().lang, usernameIn(english)]).toEqual(["en", TYPED.username]);
  expect((await typePassword(browser, english, anna)).location).toContain("code=");
});

// Proves requirement 156.
test("puts the typed name and the password into no cookie, URL or log line", async () => {
  const form = await openSignIn();
  const from = server.lines().length;
  const german = await changeLanguage(browser, form, { to: "de", ...TYPED });
  expect(german.setCookies).toEqual([expect.stringMatching(/^i18next=de;/)]);
  const addresses = german
    .page()
    .all("a")
    .map(({ attributes }) => attributes.href ?? "");
  const buttons = german
    .page()
    .all("button")
    .map(({ attributes }) => attributes.formaction ?? "");
  const seen = JSON.stringify([german.url, addresses, buttons, server.lines().slice(from)]);
  for (const text of ["typed.name", TYPED.password]) expect(seen).not.toContain(text);
});

// Proves requirement 156.
test("checks no password and counts no attempt", async () => {
  let page = await openSignIn();
  for (let count = 0; count < 15; count += 1) {
    page = await changeLanguage(browser, page, {
      to: count % 2 === 0 ? "de" : "en",
      ...TYPED,
      username: anna.username,
    });
    expect([count, page.status]).toEqual([count, 200]);
  }
  page = await changeLanguage(browser, page, { to: "en", username: anna.username, password: anna.password });
  expect([page.status, page.location, browser.jar.find("gatehouse_session")]).toEqual([200, null, null]);
  expect((await typePassword(browser, page, anna)).location).toContain("code=");
});

test("shows the form again without its error, also if its token has expired", async () => {
  const refused = await typePassword(browser, await openSignIn(), { ...TYPED, username: anna.username });
  expect(refused.status).toBe(401);
  server.clock.advance(HOUR_SECONDS / 2);
  const german = await changeLanguage(browser, refused, { to: "de", _xsrf: "forged" });
  expect([german.status, stateOf(german).error, usernameIn(german)]).toEqual([200, undefined, anna.username]);
});

test("keeps the form of a user who wants another account", async () => {
  await typePassword(browser, await openSignIn(), anna);
  const choice = await openSignIn({ prompt: "select_account" });
  const { login_challenge } = stateOf(choice);
  const form = await browser.get(`/login/native?login_challenge=${login_challenge}&proceed=0`);
  const german = await changeLanguage(browser, form, { to: "de", ...TYPED });
  expect([german.page().lang, stateOf(german).login_hint, usernameIn(german)]).toEqual([
    "de",
    undefined,
    TYPED.username,
  ]);
});

test("keeps the remembered user name", async () => {
  await typePassword(browser, await openSignIn(), anna);
  browser.jar.clear("gatehouse_session");
  const german = await changeLanguage(browser, await openSignIn(), { to: "de" });
  expect(german.page().one("input", { id: "username" }).attributes).toMatchObject({
    value: anna.username,
    readonly: "",
  });
  expect(german.body).toContain("Nicht Sie?");
});

test("keeps the user name for a request that has expired and is started again", async () => {
  const form = await openSignIn();
  server.clock.advance(2 * HOUR_SECONDS);
  const expired = await typePassword(browser, form, { ...TYPED, username: anna.username });
  expect([expired.status, stateOf(expired).error]).toEqual([400, "challenge"]);
  const german = await changeLanguage(browser, expired, { to: "de" });
  expect([german.page().lang, stateOf(german).error]).toEqual(["de", "challenge"]);
  const again = await browser.follow(await browser.submit(german, german.page().form("/login")));
  expect([again.page().lang, usernameIn(again)]).toEqual(["de", anna.username]);
});

test("keeps the user name in the form for a forgotten password, and sends no mail", async () => {
  const form = await pressKeepName(browser, await openSignIn(), "reset", TYPED);
  const mails = (await server.mails()).length;
  const german = await changeLanguage(browser, form, { to: "de", username: anna.username });
  expect([german.status, german.page().lang, usernameIn(german)]).toEqual([200, "de", anna.username]);
  expect([german.body.includes(TYPED.username), (await server.mails()).length]).toEqual([false, mails]);
});

// Proves requirement 156.
test("the ways to the form for a forgotten password and back keep the typed name, which is in no URL, cookie or log line", async () => {
  const form = await openSignIn();
  const from = server.lines().length;
  const mails = (await server.mails()).length;
  const reset = await pressKeepName(browser, form, "reset", TYPED);
  expect([reset.status, usernameIn(reset), stateOf(reset).error]).toEqual([200, TYPED.username, undefined]);
  const back = await pressKeepName(browser, reset, "sign-in", { username: anna.username });
  expect([back.status, usernameIn(back), stateOf(back).error]).toEqual([200, anna.username, undefined]);
  const pages = [reset, back].map(({ url, setCookies, page }) => [
    ...[url, setCookies],
    page()
      .all("a")
      .map(({ attributes }) => attributes.href),
  ]);
  const seen = JSON.stringify([pages, server.lines().slice(from)]);
  for (const text of ["typed.name", TYPED.password, anna.username]) expect(seen).not.toContain(text);
  expect([reset.body.includes(TYPED.password), (await server.mails()).length]).toEqual([false, mails]);
  expect((await typePassword(browser, back, anna)).location).toContain("code=");
});

test("in browsers that ignore where a button posts, these ways keep the name, too, in no URL", async () => {
  const form = await openSignIn();
  const hidden = Object.fromEntries(form.page().form("/login/native").fields);
  const sent = await browser.post("/login/native", { ...hidden, ...TYPED, next_form: "reset" });
  const reset = await browser.follow(sent);
  expect([reset.status, usernameIn(reset), reset.url.includes("typed.name")]).toEqual([200, TYPED.username, false]);
  const { action, fields } = reset.page().form("/password-reset/request");
  const values = { ...Object.fromEntries(fields), username: anna.username, next_form: "sign-in" };
  const back = await browser.follow(await browser.post(action, values));
  expect([back.status, usernameIn(back), back.url.includes(anna.username)]).toEqual([200, anna.username, false]);
  expect(stateOf(back).login_challenge).toBe(stateOf(form).login_challenge);
});

test("works in browsers that ignore the button's own form: without the typed name", async () => {
  const form = await openSignIn();
  const [around] = form
    .page()
    .forms()
    .filter(({ method }) => method === "get");
  const fields = new URLSearchParams(around?.fields.map(([name, value]) => [name, value]));
  const german = await browser.get(`${around?.action}?${fields}`);
  expect([german.page().lang, stateOf(german).login_challenge]).toEqual(["de", stateOf(form).login_challenge]);
});
