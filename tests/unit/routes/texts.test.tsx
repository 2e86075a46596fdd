import { expect, test } from "vitest";
import { LANGUAGES } from "#app/i18n/language.ts";
import { countStatusWords, findEchoes, findRepetitions } from "#tests/support/page-texts.ts";
import { EVERY_STATE } from "./every-state.tsx";
import { render } from "./render.tsx";

/** The most words on a page that reports a result. */
const MAX_STATUS_WORDS = 45;

const PAGES = LANGUAGES.flatMap((language) =>
  Object.entries(EVERY_STATE).map(([name, screen]) => ({ language, name, screen })),
);

test.each(PAGES)("$name ($language) says nothing twice", ({ language, screen }) => {
  const page = render(screen, language);
  expect(findRepetitions(page)).toEqual([]);
});

test.each(PAGES)(
  "$name ($language) is short if it reports a result, and does not repeat its heading",
  ({ language, screen }) => {
    const page = render(screen, language);
    const words = countStatusWords(page);
    if (words === null) return;
    expect(words, page.one("main").text).toBeLessThanOrEqual(MAX_STATUS_WORDS);
    expect(findEchoes(page)).toEqual([]);
  },
);

test("the rule for short pages applies to pages that report a result only", () => {
  const short = Object.entries(EVERY_STATE).filter(([, screen]) => countStatusWords(render(screen)) !== null);
  const names = short.map(([name]) => name);
  for (const name of [
    "reset, asked",
    "factor reset, too early",
    "sign-out failed",
    "consent gone, restart",
    "error 500",
  ])
    expect(names).toContain(name);
  for (const name of ["sign-in", "consent", "sign-out?", "factor lost", "reset, form"])
    expect(names).not.toContain(name);
});

test("a sentence that a page says twice is found, but not an error that the summary links to", () => {
  const page = render(
    <main id="main">
      <h1>The link has expired</h1>
      <a href="#name">Enter a name</a>
      <p id="name-error">Error: Enter a name</p>
      <p>This link has expired. Nothing was changed.</p>
      <p>Nothing was changed.</p>
    </main>,
  );
  expect(findRepetitions(page)).toEqual(["Nothing was changed."]);
  expect(findEchoes(page)).toEqual(["This link has expired."]);
});
