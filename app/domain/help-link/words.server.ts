import type { Random } from "#app/ports.ts";
import { ENGLISH_WORDS } from "./words-english.ts";
import { GERMAN_WORDS } from "./words-german.ts";

/** Words of one help. Six of at least 1,296 words have 62 random bits; docs/decisions/104-help-for-lost-phones.md. */
export const WORD_COUNT = 6;

/** Languages with a list; people who read another language get English words. */
const LISTS: Readonly<Record<string, readonly string[]>> = { de: GERMAN_WORDS, en: ENGLISH_WORDS };

/** Returns six random words to read aloud, from the list of the language, else of English. */
export function makeWords(random: Random, language: string): string[] {
  const list = LISTS[language] ?? ENGLISH_WORDS;
  return Array.from({ length: WORD_COUNT }, () => list[randomIndex(random, list.length)] ?? "");
}

/** Returns a number below `count` (at most 65,536). Draws again above the largest multiple, so that all are equally likely. */
function randomIndex(random: Random, count: number): number {
  const limit = 0x10000 - (0x10000 % count);
  for (;;) {
    const [high = 0, low = 0] = random.bytes(2);
    const drawn = high * 256 + low;
    if (drawn < limit) return drawn % count;
  }
}

/** Maximum length of the typed text, in characters. */
const MAX_TYPED = 256;

/**
 * Returns the spelling of words that is compared: lower case, "ä" as "ae" and so on, one space between words. Everything
 * but letters separates words, so that hyphens, commas, line breaks and numbers are accepted. "" for a longer text.
 */
export function foldWords(typed: string): string {
  if (typed.length > MAX_TYPED) return "";
  const letters = typed
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => UMLAUTS[letter] ?? letter)
    .normalize("NFD")
    .replace(/\p{M}/gu, "");
  return letters.match(/\p{L}+/gu)?.join(" ") ?? "";
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" };
