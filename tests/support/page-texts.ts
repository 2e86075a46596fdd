import type { Page, Part } from "./html.ts";

/** Elements that hold one message each. */
const BLOCKS = ["h1", "h2", "h3", "p", "li", "dt", "dd", "label", "legend"];

/**
 * Returns the sentences that a page says twice. The error of a field is not one of them if the summary repeats it as the
 * link to the field.
 */
export function findRepetitions(page: Page): string[] {
  const linked = new Map(page.all("a").map(({ attributes, text }) => [`${attributes.href?.slice(1)}-error`, text]));
  const seen = new Set<string>();
  const repeated: string[] = [];
  for (const { attributes, text } of messagesOf(page.one("main"))) {
    const summary = linked.get(attributes.id ?? "");
    if (summary !== undefined && text.endsWith(summary)) continue;
    for (const sentence of sentencesOf(text)) {
      if (seen.has(sentence)) repeated.push(sentence);
      seen.add(sentence);
    }
  }
  return repeated;
}

/** Returns the sentences of a page that contain every word of its heading. */
export function findEchoes(page: Page): string[] {
  const heading = wordsOf(page.one("h1").text).filter((word) => word.length > 3);
  const others = messagesOf(page.one("main")).filter(({ tag }) => tag !== "h1");
  return others
    .flatMap(({ text }) => sentencesOf(text))
    .filter((sentence) => heading.every((word) => wordsOf(sentence).includes(word)));
}

/**
 * Returns the number of words of a page that reports a result: of all its text but quotations and the reasons for a
 * missing mail, which the specification lists. Returns null for any other page.
 */
export function countStatusWords(page: Page): number | null {
  const forms = page.forms().filter(({ buttons }) => buttons.some(({ disabled }) => !disabled));
  const isRestart = ({ action }: (typeof forms)[number]) => action === "/login" || action === "/consent";
  if (!forms.every(isRestart)) return null;
  const outside = [...page.all("dl"), ...page.all("form"), ...page.all("section", { "aria-labelledby": "reasons" })];
  const uncounted = outside.reduce((sum, { text }) => sum + wordsOf(text).length, 0);
  return wordsOf(page.one("main").text).length - uncounted;
}

/** Returns the innermost blocks. */
function messagesOf(part: Part): Part[] {
  const inner = part.parts.flatMap(messagesOf);
  return inner.length === 0 && BLOCKS.includes(part.tag) ? [part] : inner;
}

/** Returns the sentences of a text that have several words. */
function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?…])\s+/).filter((sentence) => sentence.includes(" "));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}‑'’-]*/gu) ?? [];
}
