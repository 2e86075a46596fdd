import { describe, expect, it } from "vitest";
import { foldWords, makeWords, WORD_COUNT } from "#app/domain/help-link/words.server.ts";
import { ENGLISH_WORDS } from "#app/domain/help-link/words-english.ts";
import { GERMAN_WORDS } from "#app/domain/help-link/words-german.ts";
import { random } from "#tests/unit/domain/fixtures.ts";

const LISTS = [
  ["German", GERMAN_WORDS],
  ["English", ENGLISH_WORDS],
] as const;

describe.each(LISTS)("the %s words", (_language, list) => {
  // Proves requirement 213.
  it("have at least 60 random bits, and differ after folding", () => {
    const folded = new Set(list.map(foldWords));
    expect(folded.size).toBe(list.length);
    expect(WORD_COUNT * Math.log2(folded.size)).toBeGreaterThan(60);
  });

  it("are single words of letters, of at most twelve", () => {
    for (const word of list) expect(word).toMatch(/^\p{L}{3,12}$/u);
  });
});

describe("words", () => {
  it("are six of the list of the language, of English for another one", () => {
    expect(makeWords(random, "de").every((word) => GERMAN_WORDS.includes(word))).toBe(true);
    expect(makeWords(random, "fr").every((word) => ENGLISH_WORDS.includes(word))).toBe(true);
    expect(makeWords(random, "de")).toHaveLength(WORD_COUNT);
  });

  it("are drawn equally often: a number above the largest multiple is drawn again", () => {
    const bytes = [0xff, 0xff, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5];
    const fixed = { ...random, bytes: () => Uint8Array.from(bytes.splice(0, 2)) };
    expect(makeWords(fixed, "de")).toEqual(GERMAN_WORDS.slice(0, WORD_COUNT));
  });

  it.each([
    ["Bär Käse Öl", "baer kaese oel"],
    ["BAER, kaese; OEL", "baer kaese oel"],
    ["1. Ba\u0308r\n2. Käse-Öl", "baer kaese oel"],
    ["Strauß", "strauss"],
    ["", ""],
    ["x ".repeat(200), ""],
  ])("%j are compared as %j", (typed, folded) => {
    expect(foldWords(typed)).toBe(folded);
  });
});
