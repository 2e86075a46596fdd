import { parseRecoveryCode } from "#app/domain/recovery-code/format.ts";

/** Digits of a code (RFC 6238; what authenticator apps show). */
export const TOTP_DIGITS = 6;

/** What was typed into the field for codes. `code`: six digits, or ten characters of a recovery code. */
export type TypedCode = { kind: "totp"; code: string } | { kind: "recovery"; code: string } | { kind: "malformed" };

/** Longer than any spelling of a code: nothing to look at. */
const MAX_TYPED = 64;

/**
 * Reads a code as people type and paste it: full-width digits (NFKC), spaces and hyphens of every kind, small letters.
 */
export function readCode(typed: string): TypedCode {
  if (typed.length > MAX_TYPED) return { kind: "malformed" };
  const code = typed.normalize("NFKC").replace(/[\s\p{Pd}\u2212]/gu, "");
  if (new RegExp(`^[0-9]{${TOTP_DIGITS}}$`).test(code)) return { kind: "totp", code };
  const recoveryCode = parseRecoveryCode(code);
  return recoveryCode === null ? { kind: "malformed" } : { kind: "recovery", code: recoveryCode };
}
