import { z } from "zod";
import { withoutInvisible } from "./invisible.ts";

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
/** Joiners between letters, as in Persian and Malayalam, or within an emoji. */
const JOINERS =
  /(?<=[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d](?=[\p{L}\p{Extended_Pictographic}])/gu;

const MESSAGE = { message: "contains unprintable characters" };

/** Schema of a single-line display text: trimmed, 1 to `maxLength` characters, all printable, or joiners of words. */
export function lineSchema(maxLength: number) {
  return textSchema(maxLength).refine(isPrintable, MESSAGE);
}

/** Schema of a display text that may contain line breaks (LF or CRLF). */
export function linesSchema(maxLength: number) {
  return textSchema(maxLength).refine((text) => isPrintable(text.replace(/\r?\n/g, "")), MESSAGE);
}

function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text.replace(JOINERS, ""));
}

function textSchema(maxLength: number) {
  return z.string().overwrite(withoutInvisible).trim().min(1).max(maxLength);
}
