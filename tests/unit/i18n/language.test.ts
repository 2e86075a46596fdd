import { expect, test } from "vitest";
import { detectLanguage } from "#app/i18n/language.server.ts";

const ENGLISH = { defaultLanguage: "en" } as const;

type LanguageInput = { query?: string; cookie?: string; accept?: string; origin?: string };

function request({ query = "", cookie, accept, origin = "http://localhost:3000" }: LanguageInput): Request {
  const headers = new Headers();
  if (cookie !== undefined) headers.set("cookie", cookie);
  if (accept !== undefined) headers.set("accept-language", accept);
  return new Request(`${origin}/login${query}`, { headers });
}

async function languageOf(input: LanguageInput): Promise<string> {
  return (await detectLanguage(request(input), "login", ENGLISH)).language;
}

test.each<[string, LanguageInput, string]>([
  ["nothing known: English", {}, "en"],
  ["the query beats the cookie", { query: "?lng=de", cookie: "i18next=en", accept: "en" }, "de"],
  ["the cookie beats the browser", { cookie: "i18next=de", accept: "en" }, "de"],
  ["the browser's language", { accept: "de" }, "de"],
  ["a bad query leaves it to the cookie", { query: "?lng=ru", cookie: "i18next=de", accept: "en" }, "de"],
  ["a bad cookie leaves it to the browser", { cookie: "i18next=%22de%22", accept: "de" }, "de"],
  ["a regional query", { query: "?lng=de-AT" }, "de"],
  ["a query with an underscore", { query: "?lng=de_DE", accept: "en" }, "de"],
  ["a cookie with an underscore", { cookie: "i18next=de_DE", accept: "en" }, "de"],
  ["a regional cookie beats the browser", { cookie: "i18next=de-CH", accept: "en" }, "de"],
  ["an empty query", { query: "?lng=", accept: "de" }, "de"],
])("login area: %s", async (_promise, input, language) => {
  expect(await languageOf(input)).toBe(language);
});

test.each([
  ["de-AT", "de"],
  ["de-AT,en;q=0.5", "de"],
  ["en;q=0.5,de;q=0.9", "de"],
  ["de;q=0.5,en;q=0.9", "en"],
  ["ru", "en"],
  ["ru,de;q=0.5", "de"],
  ["fr-CH, fr;q=0.9, de;q=0.7, en;q=0.8, *;q=0.5", "en"],
  ["DE-de", "de"],
  ["de_DE", "de"],
  ["de;q=0", "en"],
  ["de; q=0.000, en", "en"],
  ["*", "en"],
  ["zh-Hant-TW, de-Latn-DE", "de"],
  ["<script>alert(1)</script>", "en"],
  [";;;,,,q=", "en"],
])("Accept-Language %j gives %s in both areas", async (accept, language) => {
  expect((await detectLanguage(request({ accept }), "login", ENGLISH)).language).toBe(language);
  expect((await detectLanguage(request({ accept }), "manage", ENGLISH)).language).toBe(language);
});

test("the settings heed neither query nor cookie, and set none", async () => {
  const input = request({ query: "?lng=de", cookie: "i18next=de", accept: "en" });
  expect(await detectLanguage(input, "manage", ENGLISH)).toEqual({ language: "en", setCookie: null });
});

test("a language chosen by link lasts by a cookie", async () => {
  expect(await detectLanguage(request({ query: "?lng=de" }), "login", ENGLISH)).toEqual({
    language: "de",
    setCookie: "i18next=de; Path=/; Max-Age=31536000; SameSite=Lax",
  });
});

test("the cookie is secure on https", async () => {
  const input = request({ query: "?lng=de", origin: "https://id.example" });
  expect((await detectLanguage(input, "login", ENGLISH)).setCookie).toMatch(/; Secure$/);
});

test.each([
  ["", "en"],
  ["?lng=ru", "en"],
  ["?lng=", "en"],
  ["?lng=%0d%0aset-cookie:x", "en"],
  // Read like an Accept-Language header.
  ["?lng=de;q=1", "de"],
  ["?lng=<b>de", "de"],
])("the query %j gives %s and sets no cookie", async (query, language) => {
  expect(await detectLanguage(request({ query }), "login", ENGLISH)).toEqual({ language, setCookie: null });
});

test("a hostile header costs no time", async () => {
  const started = performance.now();
  for (const accept of ["a-".repeat(8000), "de;q=".repeat(3000), ",".repeat(16000), `${"a".repeat(16000)}!`]) {
    expect(await languageOf({ accept, cookie: `i18next=${accept}`, query: `?lng=${accept}` })).toMatch(/^(en|de)$/);
  }
  expect(performance.now() - started).toBeLessThan(1000);
});

test("without a supported language, both areas use DEFAULT_LANGUAGE", async () => {
  for (const accept of ["", "fr", "*"]) {
    for (const area of ["login", "manage"] as const) {
      expect((await detectLanguage(request({ accept }), area, { defaultLanguage: "de" })).language).toBe("de");
    }
  }
});
