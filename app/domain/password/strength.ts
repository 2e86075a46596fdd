import { countCodePoints, normalisePassword } from "./rules.ts";

/** Level of the strength meter: 0 for an empty field, 5 for the strongest. */
export type PasswordScore = 0 | 1 | 2 | 3 | 4 | 5;

/** Number of bars of the strength meter (specification, section 9). */
export const STRENGTH_LEVELS = 5;

/** Entropy per level: 80 / 4 bits (specification, section 9). */
const BITS_PER_LEVEL = 20;

/** Number of possible characters per character class (specification, section 5). */
const POOL = [
  { kind: /\p{Ll}/u, size: 26 },
  { kind: /\p{Lu}/u, size: 26 },
  { kind: /[0-9]/, size: 10 },
  { kind: /[^\p{Ll}\p{Lu}0-9]/u, size: 33 },
] as const;

const LONG_FROM = 8;

/**
 * Returns the level of the strength meter: floor(length x log2(pool) / 20) + 1, at most 5; from 8 characters on, the
 * pool is larger by 1. Counts code points after NFC. Advice only: `checkRules` decides. section 5 of the specification.
 */
export function scorePassword(password: string): PasswordScore {
  const normalised = normalisePassword(password);
  if (normalised === "") return 0;
  const length = countCodePoints(normalised);
  const pool = POOL.reduce((sum, { kind, size }) => (kind.test(normalised) ? sum + size : sum), 0);
  const entropyBits = length * Math.log2(length >= LONG_FROM ? pool + 1 : pool);
  return levelOf(Math.floor(entropyBits / BITS_PER_LEVEL) + 1);
}

function levelOf(level: number): PasswordScore {
  return ([1, 2, 3, 4] as const).find((known) => known === level) ?? STRENGTH_LEVELS;
}
