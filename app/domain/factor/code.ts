import { withoutInvisible } from "#app/domain/base/invisible.ts";

/** Digits of a code (RFC 6238). */
const TOTP_DIGITS = 6;

/** A parsed code: six digits, or ten characters of a recovery code. */
type ParsedCode = { kind: "totp"; code: string } | { kind: "recovery"; code: string } | { kind: "malformed" };

/** Maximum length of the typed text. */
const MAX_TYPED = 64;

/** Parses a typed or pasted code. Accepts full-width digits (NFKC), spaces, hyphens of any kind, lower case and invisible characters. */
export function readCode(typed: string): ParsedCode {
  if (typed.length > MAX_TYPED) return { kind: "malformed" };
  const code = withoutInvisible(typed)
    .normalize("NFKC")
    .replace(/[\s\p{Pd}\u2212]/gu, "");
  if (new RegExp(`^[0-9]{${TOTP_DIGITS}}$`).test(code)) return { kind: "totp", code };
  const recoveryCode = parseRecoveryCode(code);
  return recoveryCode === null ? { kind: "malformed" } : { kind: "recovery", code: recoveryCode };
}

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
function parseRecoveryCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[ILO]/g, (letter) => CONFUSABLES[letter] ?? letter);
  return code.length === RECOVERY_CODE_LENGTH && /^[0-9A-HJKMNP-TV-Z]+$/.test(code) ? code : null;
}
