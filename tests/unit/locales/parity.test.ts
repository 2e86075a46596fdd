import { expect, test } from "vitest";
import { FALLBACK_LANGUAGE, LANGUAGES, type Language } from "#app/i18n/language.ts";
import { EVERY_FILE, FILES, listFolders, OWNED, readAllTexts, readTexts, withoutPlural } from "./texts.ts";

/** Every file of every language but English. */
const TRANSLATED = EVERY_FILE.filter(({ language }) => language !== FALLBACK_LANGUAGE);

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "").sort();
}

test("every language has the same files, and no others", () => {
  const files = FILES.map((file) => `${file}.json`).sort();
  expect(listFolders()).toEqual(Object.fromEntries(LANGUAGES.map((language) => [language, files])));
});

test.each(EVERY_FILE)("$language/$file.json contains its own keys only", ({ language, file }) => {
  const heads = new Set([...readTexts(language, file).keys()].map((key) => key.split(".")[0]));
  expect([...heads].sort()).toEqual([...OWNED[file]].sort());
});

test.each(TRANSLATED)(
  "$language/$file.json has the keys of the English file, in the same order",
  ({ language, file }) => {
    const keysOf = (of: Language) => [...new Set([...readTexts(of, file).keys()].map(withoutPlural))];
    expect(keysOf(language)).toEqual(keysOf(FALLBACK_LANGUAGE));
  },
);

test.each(LANGUAGES)("%s: a text takes the same values as in English", (language) => {
  const english = readAllTexts(FALLBACK_LANGUAGE);
  for (const [key, text] of readAllTexts(language)) {
    const original = english.get(key) ?? english.get(`${withoutPlural(key)}_other`) ?? "";
    expect(placeholders(text), key).toEqual(placeholders(original));
  }
});

test.each(LANGUAGES)("%s names itself and the locale of its dates", (language) => {
  const texts = readAllTexts(language);
  expect(texts.get("common.languageName")).toMatch(/\p{L}/u);
  expect(new Intl.Locale(texts.get("common.dateLocale") ?? "").language).toBe(language);
});

test.each(LANGUAGES)("%s: a plural text has exactly the forms of its language, and contains the number", (language) => {
  const texts = readAllTexts(language);
  const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort();
  const counting = [...texts.keys()].filter((key) => withoutPlural(key) !== key);
  for (const base of new Set(counting.map(withoutPlural))) {
    const forms = counting.filter((key) => withoutPlural(key) === base).map((key) => key.slice(base.length + 1));
    expect(forms.sort(), base).toEqual(wanted);
  }
  for (const [key, text] of texts) {
    expect(placeholders(text).includes("count"), key).toBe(withoutPlural(key) !== key);
  }
});

test.each(LANGUAGES)("%s: no text is empty, untrimmed, or has a broken placeholder", (language) => {
  for (const [key, text] of readAllTexts(language)) {
    expect(text.trim(), key).toBe(text);
    expect(text, key).not.toBe("");
    expect(text, key).not.toMatch(/ {2}/);
    expect(text.replaceAll(/\{\{\w+\}\}/g, ""), key).not.toMatch(/[{}<>]|\$t\(/);
  }
});
