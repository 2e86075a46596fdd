import { z } from "zod";

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const MESSAGE = { message: "holds unprintable characters" };

/** One line of text that people read: trimmed, 1 to `maxLength` characters, nothing unprintable in it. */
export function lineSchema(maxLength: number) {
  return textSchema(maxLength).refine((text) => !UNPRINTABLE.test(text), MESSAGE);
}

/** The same with line breaks (LF or CRLF). */
export function linesSchema(maxLength: number) {
  return textSchema(maxLength).refine((text) => !UNPRINTABLE.test(text.replace(/\r?\n/g, "")), MESSAGE);
}

function textSchema(maxLength: number) {
  return z.string().trim().min(1).max(maxLength);
}
