/** Most characters of foreign text that a log line or an audit row keeps. */
export const FOREIGN_TEXT_LENGTH = 64;

// Control and format characters, line and paragraph separators, half surrogates, and whatever has no meaning yet.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Text of a person, made safe to read in a terminal: cut to 64 code points, and everything that could break a line,
 * turn the writing direction or reach the terminal as a command written as `\u{…}`.
 */
export function printable(text: string): string {
  const start = [...text.slice(0, FOREIGN_TEXT_LENGTH * 2)].slice(0, FOREIGN_TEXT_LENGTH).join("");
  return start.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
