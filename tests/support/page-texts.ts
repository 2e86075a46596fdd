import type { Page, Part } from "./html.ts";

/** Elements that hold one message each. */
const BLOCKS = ["h1", "h2", "h3", "p", "li", "dt", "dd", "label", "legend"];

/** A text with more words is a sentence, even without a full stop. */
const MAX_VALUE_WORDS = 3;

/**
 * Returns the sentences that a page says twice. The error of a field is not one of them if the summary repeats it as
 * the link to the field.
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
 * Returns the number of words of a page that reports a result: of all its text but quotations, the details for
 * support, and the reasons for a missing mail, which the specification lists. Returns null for any other page.
 */
export function countStatusWords(page: Page): number | null {
  const forms = page.forms().filter(({ buttons }) => buttons.some(({ disabled }) => !disabled));
  const isRestart = ({ action }: (typeof forms)[number]) => action === "/login" || action === "/consent";
  if (!forms.every(isRestart)) return null;
  const outside = [
    ...page.all("dl"),
    ...page.all("form"),
    ...page.all("div", { class: "facts" }),
    ...page.all("section", { "aria-labelledby": "reasons" }),
  ];
  const uncounted = outside.reduce((sum, { text }) => sum + wordsOf(text).length, 0);
  return wordsOf(page.one("main").text).length - uncounted;
}

/** Returns the innermost blocks, without those of a list of choices, each of which describes itself. */
function messagesOf(part: Part): Part[] {
  if (part.attributes["class"] === "choice") return [];
  const inner = part.parts.flatMap(messagesOf);
  return inner.length === 0 && BLOCKS.includes(part.tag) ? [part] : inner;
}

/** Returns the sentences of a text. Few words without a full stop are a value, such as a time. */
function sentencesOf(text: string): string[] {
  const sentences = text.split(/(?<=[.!?…])\s+/);
  return sentences.filter((sentence) => wordsOf(sentence).length > (/[.!?…]$/.test(sentence) ? 1 : MAX_VALUE_WORDS));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}‑'’-]*/gu) ?? [];
}
