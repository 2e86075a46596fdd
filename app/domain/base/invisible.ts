/**
 * Characters without a glyph that come with pasted text: soft hyphen, zero-width space, marks and isolates of writing
 * direction, word joiner and invisible operators, byte order mark. The joiners U+200C and U+200D are part of words.
 */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u2060-\u2064\u2066-\u2069\ufeff]/g;

/** Removes invisible characters, which users neither typed nor see. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "");
}
