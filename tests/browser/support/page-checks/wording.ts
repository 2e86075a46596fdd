import type { Page } from "playwright";
import type { Language } from "#app/i18n/language.ts";
import { resources } from "#app/i18n/resources.generated.server.ts";

/** Returns texts of a page that are not the product's in this language; `others` are allowed names and values. */
export async function findForeignWords(page: Page, language: Language, others: readonly string[]): Promise<string[]> {
  const known = patternOf(language);
  // Compiling a pattern takes longer than all its tests, so names are replaced, and only unusual lines need the second.
  const withoutNames = (line: string) => others.reduce((rest, name) => rest.replaceAll(name, "X"), line);
  const unusual = (await readLines(page)).filter((line) => !known.test(line) && !known.test(withoutNames(line)));
  if (unusual.length === 0) return [];
  const knownWithNames = sentencePattern(language, others);
  return unusual.filter((line) => !knownWithNames.test(line));
}

const patterns = new Map<Language, RegExp>();

function patternOf(language: Language): RegExp {
  const pattern = patterns.get(language) ?? sentencePattern(language, []);
  patterns.set(language, pattern);
  return pattern;
}

/** Returns all visible or announced text, in lines, without quotations and parts in another or no language. */
async function readLines(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const foreign = document.querySelectorAll<HTMLElement>("[lang]:not(html), [translate=no], q");
    // Names that users gave occur in labels, too: "Edit: Key ring".
    const given = [...foreign].map(({ textContent }) => `: ${textContent}`);
    const withoutGiven = (label: string) =>
      label.slice(0, label.length - (given.find((words) => label.endsWith(words))?.length ?? 0));
    for (const part of foreign) part.hidden = true;
    // The text of a hidden option is still a line.
    const options = [...foreign].filter((part) => part instanceof HTMLOptionElement);
    const names = options.map(({ text }) => text);
    for (const option of options) option.text = "";
    const named = [...document.querySelectorAll("[aria-label], [title], [alt]")].flatMap((part) =>
      ["aria-label", "title", "alt"].map((name) => withoutGiven(part.getAttribute(name) ?? "")),
    );
    // Not textContent, because lines must be as rendered.
    const lines = [document.title, ...named, document.body.innerText].flatMap((text) => text.split("\n"));
    for (const part of foreign) part.hidden = false;
    for (const [place, option] of options.entries()) option.text = names[place] ?? "";
    return [...new Set(lines.map((line) => line.replace(/\s+/g, " ").trim()))].filter((line) => line !== "");
  });
}

/**
 * Matches sentences of the language with any text for their placeholders, optionally after a colon or comma, or in
 * brackets.
 */
function sentencePattern(language: Language, others: readonly string[]): RegExp {
  // Ignores texts of only placeholders and punctuation, which would match any line; `|` occurs in titles only.
  const sentences = listTexts(resources[language].translation).filter((text) =>
    /[\p{L}|]/u.test(text.replace(/\{\{\w+\}\}/g, "")),
  );
  const known = [...sentences.map(withGaps), ...others.map(escapeRegExp), "[A-Z0-9]{1,2}", "…"];
  return new RegExp(`^(?:(?:[:,] |\\()?(?:${known.join("|")})\\)?\\s*)+$`, "u");
}

function listTexts(part: unknown): string[] {
  if (typeof part === "string") return [part];
  return typeof part === "object" && part !== null ? Object.values(part).flatMap(listTexts) : [];
}

function withGaps(text: string) {
  return text
    .replaceAll("\u00a0", " ")
    .split(/\{\{\w+\}\}/)
    .map(escapeRegExp)
    .join(".{1,120}");
}

function escapeRegExp(text: string) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
