import type { Page } from "playwright";
import type { Language } from "#app/i18n/language.ts";
import { resources } from "#app/i18n/resources.server.ts";

/** Texts of a page that are not the product's texts in this language; `others` are names and values that may stand there. */
export async function findForeignWords(page: Page, language: Language, others: readonly string[]): Promise<string[]> {
  const known = sentencePattern(language, others);
  const lines = await readLines(page);
  return lines.filter((line) => !known.test(line));
}

/** All that is shown or read out, in lines as they stand; left out is what is quoted, in another language, or in none. */
async function readLines(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const foreign = document.querySelectorAll<HTMLElement>("[lang]:not(html), [translate=no], q");
    for (const part of foreign) part.hidden = true;
    const named = [...document.querySelectorAll("[aria-label], [title], [alt]")].flatMap((part) =>
      ["aria-label", "title", "alt"].map((name) => part.getAttribute(name) ?? ""),
    );
    // Not textContent: lines have to be as people see them.
    const lines = [document.title, ...named, document.body.innerText].flatMap((text) => text.split("\n"));
    for (const part of foreign) part.hidden = false;
    return [...new Set(lines.map((line) => line.replace(/\s+/g, " ").trim()))].filter((line) => line !== "");
  });
}

/** One or more of the language's sentences, with anything where they have a gap; a colon may stand between two of them. */
function sentencePattern(language: Language, others: readonly string[]): RegExp {
  // One that is made of gaps and marks alone would take any line for its own; a title's bar stands nowhere else.
  const sentences = listTexts(resources[language].translation).filter((text) =>
    /[\p{L}|]/u.test(text.replace(/\{\{\w+\}\}/g, "")),
  );
  const known = [...sentences.map(withGaps), ...others.map(escapeRegExp), "[A-Z0-9]{1,2}"];
  return new RegExp(`^(?:(?:: )?(?:${known.join("|")})\\s*)+$`, "u");
}

function listTexts(part: unknown): string[] {
  if (typeof part === "string") return [part];
  return typeof part === "object" && part !== null ? Object.values(part).flatMap(listTexts) : [];
}

function withGaps(text: string) {
  return text
    .split(/\{\{\w+\}\}/)
    .map(escapeRegExp)
    .join(".{1,120}");
}

function escapeRegExp(text: string) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
