import { expect, test } from "vitest";
import { languageCookie, readLanguageCookie } from "#app/i18n/detection.ts";

test("the language cookie lasts a year, and is secure on https only", () => {
  expect(languageCookie("de", false)).toBe("i18next=de; Path=/; Max-Age=31536000; SameSite=Lax");
  expect(languageCookie("en", true)).toBe("i18next=en; Path=/; Max-Age=31536000; SameSite=Lax; Secure");
});

test.each([
  ["i18next=de", "de"],
  ["a=1; i18next=de; b=2", "de"],
  ["i18next=", null],
  ["xi18next=de; i18nextLng=de", null],
  ["", null],
])("the cookies %j name the language %j", (cookies, language) => {
  expect(readLanguageCookie(cookies)).toBe(language);
});
