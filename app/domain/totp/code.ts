import { parseRecoveryCode } from "#app/domain/recovery-code/format.ts";

/** Digits of a code (RFC 6238). */
export const TOTP_DIGITS = 6;

/** A parsed code: six digits, or ten characters of a recovery code. */
export type ParsedCode = { kind: "totp"; code: string } | { kind: "recovery"; code: string } | { kind: "malformed" };

/** Maximum length of the typed text. */
const MAX_TYPED = 64;

/** Parses a typed or pasted code. Accepts full-width digits (NFKC), spaces, hyphens of any kind, and lower case. */
export function readCode(typed: string): ParsedCode {
  if (typed.length > MAX_TYPED) return { kind: "malformed" };
  const code = typed.normalize("NFKC").replace(/[\s\p{Pd}\u2212]/gu, "");
  if (new RegExp(`^[0-9]{${TOTP_DIGITS}}$`).test(code)) return { kind: "totp", code };
  const recoveryCode = parseRecoveryCode(code);
  return recoveryCode === null ? { kind: "malformed" } : { kind: "recovery", code: recoveryCode };
}
