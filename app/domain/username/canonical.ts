/** Most code points of a user name, counted after NFKC. */
export const USERNAME_MAX_LENGTH = 64;

/**
 * Most UTF-16 units of a user name as it was typed. Longer ones are refused before they are normalised: normalising
 * 60 KB of combining marks blocks the event loop for 60 to 70 ms. No name of 64 code points needs more.
 */
const TYPED_MAX_LENGTH = 256;

// Scripts whose words are written with letters alone, from the recommended ones of Unicode Standard Annex 31, table 5.
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

/** `username` is what is shown, `canonical` is what is compared and unique. */
export type ParsedUsername = { ok: true; username: string; canonical: string } | { ok: false };

/**
 * Reads a user name: 1 to 64 code points after NFKC and without outer white space; letters, digits 0-9 and `.` `_` `-` `@`;
 * all letters of one script, so that a Cyrillic "а" cannot pose as a Latin one. The canonical form is lower case, with
 * the final sigma folded. The same reading serves sign-in and administration: there is one way to compare names.
 */
export function parseUsername(input: string): ParsedUsername {
  if (input.length > TYPED_MAX_LENGTH) return { ok: false };
  const username = readable(input);
  const canonical = canonicalForm(username);
  // The canonical form is checked too: lower-casing may leave a combining mark behind, as it does for "İ".
  return isAllowed(username) && isAllowed(canonical) ? { ok: true, username, canonical } : { ok: false };
}

/**
 * The form under which attempts for any typed name are counted, also for names that cannot exist. Equal for all
 * spellings that `parseUsername` reads as one user. A name of more than 256 UTF-16 units is returned as it is.
 */
export function canonicalForm(input: string): string {
  if (input.length > TYPED_MAX_LENGTH) return input;
  return readable(input).toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}

function readable(input: string): string {
  return input.normalize("NFKC").trim();
}

function isAllowed(name: string): boolean {
  if (!/^[\p{L}0-9._@-]+$/u.test(name)) return false;
  if ([...name].length > USERNAME_MAX_LENGTH) return false;
  const letters = name.replace(/[0-9._@-]/g, "");
  return letters === "" || SCRIPTS.some((script) => script.test(letters));
}
