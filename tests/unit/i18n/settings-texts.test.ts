import { expect, test } from "vitest";
import { settingsTexts as german } from "#app/i18n/settings-texts.de.ts";
import { settingsTexts as english } from "#app/i18n/settings-texts.en.ts";
import { readSources } from "#tests/support/source-tree.ts";
import { flatten, readAllTexts, withoutPlural } from "../locales/texts.ts";

/** Keys in files of the settings that no browser needs there: of parts that both areas have, or said by the server. */
const NEEDLESS = [
  // The title and the names of scopes come with the page.
  /^manageActivity\.title$/,
  /^scope\./,
  // A code in the settings is the app's; recovery codes are for the sign-in.
  /^recovery\.(code|error)\./,
  /^mfaLogin\.setup\.done$/,
  // Where the page of a factor starts again, the settings say so in their own words.
  /^login\.error\.challengeRestart$/,
];

/** Every file that a page of the settings may bring into a browser. */
function filesOfSettings() {
  const all = new Map(readSources("app").map((file) => [file.path, file]));
  const found = new Set(
    [...all.keys()].filter((path) => /^app\/(root|entry\.client|routes\/manage\/.*)\.tsx$/.test(path)),
  );
  for (const path of found) {
    for (const { target, typeOnly } of all.get(path)?.imports ?? []) {
      if (target && all.has(target) && !typeOnly && !target.includes(".server.")) found.add(target);
    }
  }
  return [...found].map((path) => all.get(path)).filter((file) => file !== undefined);
}

test("every text that a page of the settings shows is among those that its browser loads", () => {
  const known = new Set([...readAllTexts("en").keys()].map(withoutPlural));
  const loaded = new Set(flatten(english).map(([key]) => withoutPlural(key)));
  const missing = filesOfSettings().flatMap(({ path, text }) =>
    [...text.matchAll(/(["'`])([\w.-]+)\1/g)]
      .map((match) => match[2] ?? "")
      .filter((key) => known.has(key) && !loaded.has(key) && !NEEDLESS.some((pattern) => pattern.test(key)))
      .map((key) => `${path}: ${key}`),
  );
  expect(missing).toEqual([]);
});

test("both languages load the same", () => {
  expect(
    flatten(german)
      .map(([key]) => key)
      .sort(),
  ).toEqual(
    flatten(english)
      .map(([key]) => key)
      .sort(),
  );
});
