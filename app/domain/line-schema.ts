import { z } from "zod";

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const MESSAGE = { message: "contains unprintable characters" };

/** Schema of a single-line display text: trimmed, 1 to `maxLength` characters, all printable. */
export function lineSchema(maxLength: number) {
  return textSchema(maxLength).refine((text) => !UNPRINTABLE.test(text), MESSAGE);
}

/** Schema of a display text that may contain line breaks (LF or CRLF). */
export function linesSchema(maxLength: number) {
  return textSchema(maxLength).refine((text) => !UNPRINTABLE.test(text.replace(/\r?\n/g, "")), MESSAGE);
}

function textSchema(maxLength: number) {
  return z.string().trim().min(1).max(maxLength);
}
