import { describe, expect, test } from "vitest";
import { openForm, stateOf } from "#tests/http/login/open-form.ts";
import { allow, followRedirects, open, seedSignIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";

/** Text that would have an effect if it were interpreted. */
const HOSTILE = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `'-alert(1)-'`,
  `</title></textarea></script><svg/onload=alert(1)>`,
  `&lt;b&gt; &quot; &#x3c;script&#x3e;`,
  `{{7*191}} \${7*191} {{client}} $t(login.heading)`,
  `javascript:alert(1)//`,
  `\u202Etxt.exe\u2066`,
  `<!-- swallowed`,
  `]]>`,
  `\u2028\u2029`,
];

const LINES = "first\r\nSet-Cookie: evil=1\r\n\r\n<html>second\u001b[31mred";

const server = await serverOfFile();

const IMAGES = /<(img|svg|script|b)\b[^>]*(alert|onerror|onload)/i;

/** Expects the value as plain text: it must create no element, attribute, script or header. */
function expectHarmless(response: HttpResponse, value: string) {
  expect(response.body).not.toMatch(IMAGES);
  expect(
    response
      .page()
      .all("script")
      .every(({ attributes }) => attributes.nonce !== undefined),
  ).toBe(true);
  expect(response.page().all("img")).toEqual([]);
  expect(response.headers).not.toHaveProperty("evil");
  expect(response.setCookies.join()).not.toContain("evil");
  if (/[<>"]/.test(value)) expect(response.body).not.toContain(value);
  expect(response.page().text).not.toContain("1337");
}

/** Returns the characters that RFC 6749 §4.1.2.1 allows, cut to `length`. */
const allowed = (text: string, length: number) =>
  [...text]
    .filter((character) => character >= " " && character <= "~" && character !== '"' && character !== "\\")
    .slice(0, length)
    .join("")
    .trim();

const words = (text: string) => text.replace(/\s+/g, " ").trim();

describe.each([...HOSTILE, LINES].map((value) => [JSON.stringify(value), value] as const))("%s", (_written, value) => {
  const encoded = encodeURIComponent(value);

  // Proves requirements 119, 147.
  test("is only quoted as error and error_description, in the characters of RFC 6749", async () => {
    const response = await server.browser().get(`/error?error=${encoded}&error_description=${encoded}`);
    expect(response.status).toBe(400);
    expectHarmless(response, value);
    const [code, description] = [allowed(value, 60), allowed(value, 120)];
    expect(stateOf(response)).toEqual({ error: code || null, error_description: description || null });
    const page = response.page();
    const quotes = code === "" ? [] : [words(code), words(description)];
    expect(page.all("q").map(({ text }) => text)).toEqual(quotes);
    // Unverified values occur in the quoted block only.
    const block = page.all("blockquote").map(({ text }) => text);
    expect(block).toHaveLength(code === "" ? 0 : 1);
    for (const tag of ["h1", "title"]) expect(page.one(tag).text).not.toContain(words(code) || value);
    expect(page.all("a").every(({ attributes }) => !/^(javascript|data):/i.test(attributes.href ?? ""))).toBe(true);
  });

  test("is only text as user name, language, status and challenge", async () => {
    const party = await server.parties.create();
    const form = await openForm(server.browser(), party.request().url);
    const refused = await form.post({ username: value, password: "x" });
    expect(refused.status).toBe(401);
    expectHarmless(refused, value);
    const typed = refused.page().one("input", { name: "username" }).attributes.value;
    // Browsers normalise line breaks in markup.
    expect(typed?.replaceAll("\r\n", "\n")).toBe(value.replaceAll("\r\n", "\n"));
    for (const path of ["login", "consent", "logout", "logout/reject", "nowhere"]) {
      const query = `lng=${encoded}&status=${encoded}&${path}_challenge=${encoded}&oauth-error=${encoded}`;
      expectHarmless(await server.browser().get(`/${path}?${query}`), value);
    }
  });

  test("is only text as login_hint and state, and is returned to the application unchanged", async () => {
    const anna = await server.users.create();
    const party = await server.parties.create({ firstParty: true });
    const browser = server.browser();
    const form = await open(browser, party.request({ login_hint: value, state: value }).url);
    expectHarmless(form, value);
    const end = await typePassword(browser, form, anna);
    expect(redirectParameters(end).state).toBe(value);
    expect(end.headers).not.toHaveProperty("evil");
    const silent = await server.browser().get(party.request({ prompt: "none", state: value }).url);
    expect(redirectParameters(silent)).toMatchObject({ state: value, error: "login_required" });
  });

  test("is only text as a parameter that the engine refuses", async () => {
    const party = await server.parties.create();
    for (const changes of [
      { client_id: value },
      { redirect_uri: value },
      { response_type: value },
      { prompt: value },
    ]) {
      const browser = server.browser();
      const response = await browser.get(party.request(changes).url);
      const shown = response.location?.startsWith(server.url) ? await followRedirects(browser, response) : response;
      expect(shown.status).toBeLessThan(500);
      if (shown.location === null) expectHarmless(shown, value);
    }
  });

  test("is only text in a path", async () => {
    const response = await server.browser().get(`/${encoded}`);
    expect([400, 404]).toContain(response.status);
    expectHarmless(response, value);
  });
});

describe("names set by an administrator", () => {
  // A line break or control character cannot be entered.
  const names = HOSTILE.filter((value) => !/[\u2028\u2029\u202E]/.test(value));

  test.each(names)("are only text on every page: %s", async (name) => {
    const browser = server.browser();
    const anna = await server.users.create({ displayName: name });
    const party = await server.parties.create({ name, clientUri: "https://suite.example/" });
    const form = await open(browser, party.request().url);
    expectHarmless(form, name);
    const question = await typePassword(browser, form, anna);
    expectHarmless(question, name);
    expect(stateOf(question).client).toMatchObject({ name });
    expect(question.page().text).toContain(words(`Signed in as ${name}`));
    expect(question.page().text).toContain(words(`${name} would like to access your account`));
    await allow(browser, question);
    const hint = await open(browser, party.request({ prompt: "select_account" }).url);
    expectHarmless(hint, name);
    expect(hint.page().title).toBe(words(`Continue as ${name} | Gatehouse`));
    const logout = await open(browser, "/oauth2/sessions/logout");
    expectHarmless(logout, name);
    expect(logout.page().text).toContain(words(`Signed in as ${name}`));
  });
});

test("the values of the last test of each kind have not broken anything", async () => {
  const anna = await server.users.create();
  const party = await server.parties.create();
  expect(redirectParameters(await seedSignIn(server, server.browser(), party.request(), anna))).toHaveProperty("code");
  expect(server.lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
});
