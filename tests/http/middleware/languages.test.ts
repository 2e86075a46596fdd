import { beforeEach, describe, expect, test } from "vitest";
import { changeLanguage } from "#tests/http/login/change-language.ts";
import { open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";

let browser: Browser;

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create();

beforeEach(() => {
  browser = server.browser("en");
});

async function languageOf(url: string, from = browser, headers: Record<string, string> = {}) {
  const response = await from.get(url, { headers });
  expect(response.headers["content-language"]).toBe(response.page().lang);
  return response.page().lang;
}

const acceptLanguage = (value: string) => languageOf("/login", server.browser(), { "accept-language": value });

describe("the language of a page", () => {
  test.each([
    ["de", "de"],
    ["de-AT,de;q=0.9,en;q=0.5", "de"],
    ["en-GB,en;q=0.9,de;q=0.8", "en"],
    ["ru", "en"],
    ["ru, de;q=0.5", "de"],
    ["fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "en"],
    ["de;q=0, en", "en"],
    ["*", "en"],
    ["", "en"],
    ["DE-de", "de"],
    ["de".repeat(5_000), "en"],
    [";;;,,,q=;de;", "de"],
    ["de;q=abc", "de"],
    ["<script>alert(1)</script>", "en"],
    ["../../../etc/passwd", "en"],
    ["__proto__", "en"],
    ["constructor", "en"],
  ])("follows the browser's setting: %j is %s", async (header, language) => {
    expect(await acceptLanguage(header)).toBe(language);
  });

  test("follows ?lng, which wins over the browser, and lasts", async () => {
    const chosen = await browser.get("/login?lng=de");
    expect(chosen.page().lang).toBe("de");
    const cookie = chosen.setCookies.find((one) => one.startsWith("i18next="));
    expect(cookie).toMatch(/^i18next=de; Path=\/; Max-Age=\d+; SameSite=Lax$/);
    for (const url of ["/login", "/error", "/nowhere", "/logout", "/consent"]) expect(await languageOf(url)).toBe("de");
    expect(await languageOf("/login?lng=en")).toBe("en");
    expect(await languageOf("/login")).toBe("en");
  });

  test("accepts regions, capitals and underscores, and keeps the choice", async () => {
    for (const lng of ["de-CH", "DE", "de-1996", "de_DE"]) {
      const own = server.browser();
      expect(await languageOf(`/login?lng=${lng}`, own)).toBe("de");
      expect(await languageOf("/login", own)).toBe("de");
    }
  });

  test.each([
    ["fr", "en"],
    ["", "en"],
    ["xx", "en"],
    ["<script>", "en"],
    ["__proto__", "en"],
    ["d", "en"],
    ["d".repeat(20_000), "en"],
    // Read like an Accept-Language header.
    ["de%0d%0aSet-Cookie:%20a=b", "de"],
    ["../de", "de"],
  ])("which is no tag, ?lng=%s, is shown nowhere, and sets nothing", async (lng, language) => {
    const response = await browser.get(`/login?lng=${lng.includes("%") ? lng : encodeURIComponent(lng)}`);
    expect(response.page().lang).toBe(language);
    expect(response.setCookies.filter((cookie) => !cookie.startsWith("gatehouse_browser="))).toEqual([]);
    expect(response.headers).not.toHaveProperty("a");
  });

  test.each([
    ["fr", "en"],
    ["", "en"],
    ["%00", "en"],
    ["<script>", "en"],
    ["de; x", "de"],
    ["de%0d%0a", "de"],
  ])("with a cookie of %j is %s", async (value, language) => {
    browser.jar.take(new URL(server.url), [`i18next=${value}; Path=/`]);
    expect(await languageOf("/login")).toBe(language);
  });

  test("is kept on every step of a sign-in", async () => {
    await browser.get("/login?lng=de");
    const form = await open(browser, party.request().url);
    expect(form.page().title).toBe("Anmelden | Gatehouse");
    const refused = await browser.submit(form, form.page().form("/login/native"), {
      username: "nobody",
      password: "x",
    });
    expect([refused.status, refused.page().lang]).toEqual([401, "de"]);
    const question = await typePassword(browser, refused, anna);
    expect(question.page().lang).toBe("de");
    const page = await open(browser, "/oauth2/sessions/logout");
    expect(page.page().lang).toBe("de");
  });

  test("is that of ui_locales, in a browser without a choice", async () => {
    const englishBrowser = server.browser("en");
    expect((await open(englishBrowser, party.request({ ui_locales: "fr de" }).url)).page().lang).toBe("de");
    await browser.get("/login?lng=en");
    expect((await open(browser, party.request({ ui_locales: "de" }).url)).page().lang).toBe("en");
  });
});

describe("every page", () => {
  test("offers the other language, and stays the same page", async () => {
    const form = await open(browser, party.request().url);
    expect(form.page().one("button", { lang: "de" }).text).toBe("Deutsch");
    const german = await changeLanguage(browser, form, { to: "de" });
    expect([german.page().lang, german.page().state().login_challenge]).toEqual([
      "de",
      form.page().state().login_challenge,
    ]);
    const status = await browser.get("/password-reset/request-status?status=success");
    const link = status.page().one("a", { lang: "en" });
    expect([status.page().lang, link.text, link.attributes.hreflang]).toEqual(["de", "English", "en"]);
    const back = await browser.get(link.attributes.href ?? "");
    expect([back.page().lang, new URL(back.url).pathname]).toEqual(["en", "/password-reset/request-status"]);
  });

  test("sends Vary", async () => {
    for (const url of ["/login", "/error", "/nowhere"]) {
      expect((await browser.get(url)).headers.vary).toBe("Accept-Language, Cookie");
    }
  });
});
