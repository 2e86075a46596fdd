import { expect, test } from "vitest";
import { settingsTexts as german } from "#app/i18n/settings-texts.de.ts";
import { settingsTexts as english } from "#app/i18n/settings-texts.en.ts";
import { readSources } from "#tests/support/source-tree.ts";
import { flatten, readAllTexts, withoutPlural } from "../locales/texts.ts";

/** Keys in files of the settings that their browser code does not use. */
const NEEDLESS = [
  // The page's data contains the title and the names of scopes.
  /^manageActivity\.title$/,
  /^scope\./,
  // The settings accept codes of the app only; recovery codes are for the sign-in.
  /^recovery\.(code|error)\./,
  /^mfaLogin\.setup\.done$/,
  // The settings have their own text for a factor page that must be restarted.
  /^login\.error\.challengeRestart$/,
];

/** Returns all files that a page of the settings may load in a browser. */
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
