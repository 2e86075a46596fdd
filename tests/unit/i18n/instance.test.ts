import { expect, test } from "vitest";
import { getInstance } from "#app/i18n/instance.server.ts";
import { i18nOptions } from "#app/i18n/options.ts";

test("an instance is ready when it is returned, and created once", () => {
  expect(getInstance("de").isInitialized).toBe(true);
  expect(getInstance("de")).toBe(getInstance("de"));
  expect(getInstance("en")).not.toBe(getInstance("de"));
});

test("each instance has its language", () => {
  expect(getInstance("en").t("login.title")).toBe("Sign in");
  expect(getInstance("de").t("login.title")).toBe("Anmelden");
});

test("the product's name is in every text", () => {
  expect(getInstance("en", "Nordlicht").t("common.productName")).toBe("Nordlicht");
  expect(getInstance("de", "Nordlicht").t("common.titleSeparator", { page: "Anmelden" })).toBe("Anmelden | Nordlicht");
});

test("values are inserted unchanged: not escaped, and not interpreted as text keys", () => {
  const client = `Müller & <Söhne> $t(login.title) {{client}}`;
  expect(getInstance("de").t("login.intro", { client })).toBe(`um mit ${client} fortzufahren`);
});

test("numbers choose their form", () => {
  const { t } = getInstance("de");
  expect(t("login.error.rateLimited", { count: 1 })).toContain("1\u00a0Minute,");
  expect(t("login.error.rateLimited", { count: 15 })).toContain("15\u00a0Minuten,");
});

test("numbers have the separators of the language", () => {
  expect(getInstance("de").t("adminPeople.lead", { count: 100_000 })).toBe("100.000 Personen");
  expect(getInstance("en").t("adminPeople.lead", { count: 100_000 })).toBe("100,000 people");
});

test("a misspelt key does not pass the compiler", () => {
  // @ts-expect-error there is no such key
  expect(getInstance("en").t("login.heding")).toBe("login.heding");
});

test("texts are loaded 10 at a time, with 5 retries from 350 ms on", () => {
  expect(i18nOptions).toMatchObject({ maxParallelReads: 10, maxRetries: 5, retryTimeout: 350 });
});
