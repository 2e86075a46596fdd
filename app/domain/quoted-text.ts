/** Longest error code that a page shows of what a request carries, in characters. */
export const MAX_QUOTED_CODE = 60;
/** Longest error description that a page shows of what a request carries, in characters. */
export const MAX_QUOTED_DESCRIPTION = 120;

/** Every character but those of `error` and `error_description` (RFC 6749 §4.1.2.1). */
const NOT_ALLOWED = /[^\x20\x21\x23-\x5B\x5D-\x7E]/g;

/** Drops the characters that RFC 6749 §4.1.2.1 does not allow, and cuts the rest to its length. */
export function quotedText(text: string, maxLength: number): string {
  return text.replace(NOT_ALLOWED, "").slice(0, maxLength).trim();
}
