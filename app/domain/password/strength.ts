import { countCodePoints, normalisePassword } from "./rules.ts";

/** 0 stands for a field that is still empty, 5 for the strongest. */
export type PasswordScore = 0 | 1 | 2 | 3 | 4 | 5;

/** The bars of the strength meter (specification section 9). */
export const STRENGTH_LEVELS = 5;

/** 80/4 bits for each level (specification section 9). */
const BITS_PER_LEVEL = 20;

/** How many characters an attacker has to try for each kind that a password uses (specification section 5). */
const POOL = [
  { kind: /\p{Ll}/u, size: 26 },
  { kind: /\p{Lu}/u, size: 26 },
  { kind: /[0-9]/, size: 10 },
  { kind: /[^\p{Ll}\p{Lu}0-9]/u, size: 33 },
] as const;

const LONG_FROM = 8;

/**
 * How many bars of the meter a password lights. Entropy = length x log2(pool), score = floor(entropy / 20) + 1, at most
 * 5; the pool grows by 1 from 8 characters on. Counts code points after NFC, as the rules do. It is advice: the rules
 * decide. Specification section 5.
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
