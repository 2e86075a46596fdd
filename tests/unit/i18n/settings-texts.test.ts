import { expect, test } from "vitest";
import { resources } from "#app/i18n/resources.generated.server.ts";
import { selectSettingsTexts } from "#app/i18n/settings-texts.server.ts";
import { readSources } from "#tests/support/source-tree.ts";
import { flatten, readAllTexts, withoutPlural } from "../locales/texts.ts";

const english = resources.en.translation;

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
    [...all.keys()].filter(
      (path) =>
        /^app\/(root|entry\.client|routes\/settings\/.*)\.tsx$/.test(path) &&
        // These documents load no React.
        !path.startsWith("app/routes/settings/administration/"),
    ),
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
  const loaded = new Set(flatten(selectSettingsTexts(english, english)).map(([key]) => withoutPlural(key)));
  const missing = filesOfSettings().flatMap(({ path, text }) =>
    [...text.matchAll(/(["'`])([\w.-]+)\1/g)]
      .map((match) => match[2] ?? "")
      .filter((key) => known.has(key) && !loaded.has(key) && !NEEDLESS.some((pattern) => pattern.test(key)))
      .map((key) => `${path}: ${key}`),
  );
  expect(missing).toEqual([]);
});

test("a browser loads none of the texts that only the server needs", () => {
  const loaded = selectSettingsTexts(english, english);
  expect(loaded).not.toHaveProperty("login");
  expect(loaded).not.toHaveProperty("recovery.code");
  expect(loaded).not.toHaveProperty("manageActivity.factor");
});

test("a text that a language lacks is loaded in English; its own plural forms are kept", () => {
  const texts = { common: { show: "[show]" }, recovery: { remaining_few: "[few]" } };
  expect(selectSettingsTexts(texts, english)).toMatchObject({
    common: { show: "[show]", hide: "Hide" },
    recovery: { remaining_few: "[few]", heading: english.recovery.heading },
    manageKey: english.manageKey,
  });
});
