/**
 * Thirty-two letters and digits of which no two look alike (Crockford's Base32: without I, L, O, U): ten of them are 50
 * random bits.
 */
export const RECOVERY_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const GROUP = 5;
/** Characters of a code, without the hyphen. */
export const RECOVERY_CODE_LENGTH = 2 * GROUP;

/** What people read where the alphabet has only the look-alike. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { I: "1", L: "1", O: "0" };

/** A recovery code as it is shown: two groups of five. */
export function formatRecoveryCode(code: string): string {
  return `${code.slice(0, GROUP)}-${code.slice(GROUP)}`;
}

/** The code in ten characters of the alphabet, or null; the text comes without spaces and hyphens, in any case. */
export function parseRecoveryCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[ILO]/g, (letter) => LOOK_ALIKES[letter] ?? letter);
  return code.length === RECOVERY_CODE_LENGTH && /^[0-9A-HJKMNP-TV-Z]+$/.test(code) ? code : null;
}
