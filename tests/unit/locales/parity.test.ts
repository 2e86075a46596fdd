import { expect, test } from "vitest";
import { LANGUAGES } from "#app/i18n/language.ts";
import { EVERY_FILE, FILES, listFolders, OWNED, readAllTexts, readTexts, withoutPlural } from "./texts.ts";

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "").sort();
}

test("every language has the same files, and no others", () => {
  const files = FILES.map((file) => `${file}.json`).sort();
  expect(listFolders()).toEqual(Object.fromEntries(LANGUAGES.map((language) => [language, files])));
});

test.each(EVERY_FILE)("$language/$file.json holds its own keys only", ({ language, file }) => {
  const heads = new Set([...readTexts(language, file).keys()].map((key) => key.split(".")[0]));
  expect([...heads].sort()).toEqual([...OWNED[file]].sort());
});

test.each(FILES)("%s.json has the same keys in both languages, in the same order", (file) => {
  expect([...readTexts("de", file).keys()]).toEqual([...readTexts("en", file).keys()]);
});

test("a text takes the same values in both languages", () => {
  const german = readAllTexts("de");
  for (const [key, text] of readAllTexts("en")) {
    expect(placeholders(german.get(key) ?? ""), key).toEqual(placeholders(text));
  }
});

test.each(LANGUAGES)(
  "%s: a text that counts has exactly the forms of its language, and says the number",
  (language) => {
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
  },
);

test.each(LANGUAGES)("%s: no text is empty, untrimmed, or has a broken placeholder", (language) => {
  for (const [key, text] of readAllTexts(language)) {
    expect(text.trim(), key).toBe(text);
    expect(text, key).not.toBe("");
    expect(text, key).not.toMatch(/ {2}/);
    expect(text.replaceAll(/\{\{\w+\}\}/g, ""), key).not.toMatch(/[{}<>]|\$t\(/);
  }
});
