import { z } from "zod";

/** One line of text that people read: trimmed, 1 to `maxLength` characters, nothing unprintable in it. */
export function lineSchema(maxLength: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .refine((text) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text), { message: "holds unprintable characters" });
}
