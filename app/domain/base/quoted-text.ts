/** Maximum length of an error code from the request on a page, in characters. */
export const MAX_QUOTED_CODE = 60;
/** Maximum length of an error description from the request on a page, in characters. */
export const MAX_QUOTED_DESCRIPTION = 120;

/** Characters not allowed in `error` and `error_description` (RFC 6749 §4.1.2.1). */
const NOT_ALLOWED = /[^\x20\x21\x23-\x5B\x5D-\x7E]/g;

/** Removes the characters that RFC 6749 §4.1.2.1 does not allow, and truncates to `maxLength`. */
export function quotedText(text: string, maxLength: number): string {
  return text.replace(NOT_ALLOWED, "").slice(0, maxLength).trim();
}
