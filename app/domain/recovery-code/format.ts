/** Crockford's Base32 alphabet, without I, L, O and U. Ten characters have 50 random bits. */
export const RECOVERY_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const GROUP = 5;
/** Characters per code, without the hyphen. */
export const RECOVERY_CODE_LENGTH = 2 * GROUP;

/** Letters that are easily confused with a character of the alphabet. */
const CONFUSABLES: Readonly<Record<string, string>> = { I: "1", L: "1", O: "0" };

/** Formats a recovery code in two groups of five characters. */
export function formatRecoveryCode(code: string): string {
  return `${code.slice(0, GROUP)}-${code.slice(GROUP)}`;
}

/** Parses a code in any case, without spaces and hyphens. Returns ten characters of the alphabet, or null. */
export function parseRecoveryCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[ILO]/g, (letter) => CONFUSABLES[letter] ?? letter);
  return code.length === RECOVERY_CODE_LENGTH && /^[0-9A-HJKMNP-TV-Z]+$/.test(code) ? code : null;
}
