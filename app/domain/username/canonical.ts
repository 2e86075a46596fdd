import { withoutInvisible } from "#app/domain/base/invisible.ts";

/** Maximum length of a user name in code points after NFKC. */
export const USERNAME_MAX_LENGTH = 64;

/**
 * Maximum length of a typed user name in UTF-16 units, checked before normalising, because normalising 60 KB of
 * combining marks blocks the event loop for 60 to 70 ms. No name of 64 code points needs more.
 */
const TYPED_MAX_LENGTH = 256;

// Recommended scripts whose words consist of letters alone (Unicode Standard Annex 31, table 5).
const SCRIPTS = [
  /^\p{Script=Latin}+$/u,
  /^\p{Script=Greek}+$/u,
  /^\p{Script=Cyrillic}+$/u,
  /^\p{Script=Armenian}+$/u,
  /^\p{Script=Georgian}+$/u,
  /^\p{Script=Hebrew}+$/u,
  /^\p{Script=Arabic}+$/u,
  /^\p{Script=Ethiopic}+$/u,
  /^\p{Script=Han}+$/u,
  /^\p{Script=Hiragana}+$/u,
  /^\p{Script=Katakana}+$/u,
  /^\p{Script=Hangul}+$/u,
];

/** `username` is for display, `canonical` is for comparison and unique. */
export type ParsedUsername = { ok: true; username: string; canonical: string } | { ok: false };

/**
 * Parses a user name: 1 to 64 code points after NFKC, trimming and the removal of invisible characters; letters, digits 0-9 and `.` `_` `-` `@`; letters of
 * one script only, so that a Cyrillic "а" cannot imitate a Latin one. The canonical form is lower case, with the final
 * sigma folded. Used by sign-in and administration alike.
 */
export function parseUsername(input: string): ParsedUsername {
  if (input.length > TYPED_MAX_LENGTH) return { ok: false };
  const username = normalise(input);
  const canonical = canonicalForm(username);
  // Also checks the canonical form: lower-casing may add a combining mark, as for "İ".
  return isAllowed(username) && isAllowed(canonical) ? { ok: true, username, canonical } : { ok: false };
}

/**
 * Returns the form of a typed name under which attempts are counted, also for invalid names. Equal for all spellings
 * that `parseUsername` maps to one user. Names above 256 UTF-16 units are returned unchanged.
 */
export function canonicalForm(input: string): string {
  if (input.length > TYPED_MAX_LENGTH) return input;
  return normalise(input).toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}

function normalise(input: string): string {
  return withoutInvisible(input).normalize("NFKC").trim();
}

function isAllowed(name: string): boolean {
  if (!/^[\p{L}0-9._@-]+$/u.test(name)) return false;
  if ([...name].length > USERNAME_MAX_LENGTH) return false;
  const letters = name.replace(/[0-9._@-]/g, "");
  return letters === "" || SCRIPTS.some((script) => script.test(letters));
}
