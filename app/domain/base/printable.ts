/** Maximum length of user-supplied text in a log line or an audit row, in code points. */
const FOREIGN_TEXT_LENGTH = 64;

// Control and format characters, line and paragraph separators, lone surrogates, unassigned code points.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Makes user-supplied text safe for a terminal: truncates it and escapes line breaks, bidirectional controls and other
 * unprintable characters as `\u{…}`.
 * @param maxLength in code points
 */
export function printable(text: string, maxLength: number = FOREIGN_TEXT_LENGTH): string {
  const start = [...text.slice(0, maxLength * 2)].slice(0, maxLength).join("");
  return start.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
