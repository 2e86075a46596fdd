import { z } from "zod";
import { lineSchema } from "#app/domain/line-schema.ts";

/** What an application says of a person who may want an account. */
export type RegistrationHint = { key: string; value: string };

/** Hints of one request. */
export const MAX_HINTS = 10;

/** Characters of one hint. */
const MAX_HINT_LENGTH = 200;

/** The name of a hint, as a client declares it. */
export const hintKeySchema = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,49}$/);

const valueSchema = lineSchema(MAX_HINT_LENGTH);
const storedSchema = z.array(z.object({ key: hintKeySchema, value: valueSchema })).max(MAX_HINTS);

/**
 * The hints that count, in the order in which the client declares them: one line of at most 200 characters each, the first
 * ten. All others are passed over: a sign-in does not fail because of a hint.
 * @param read what was sent for a key; anything but one text is no hint
 */
export function pickHints(declared: readonly string[], read: (key: string) => unknown): RegistrationHint[] {
  const hints = declared.flatMap((key) => {
    const value = valueSchema.safeParse(read(key));
    return value.success ? [{ key, value: value.data }] : [];
  });
  return hints.slice(0, MAX_HINTS);
}

/** Hints that were kept as JSON; none where that is no JSON of hints. */
export function parseHints(json: unknown): RegistrationHint[] {
  if (typeof json !== "string") return [];
  try {
    return storedSchema.parse(JSON.parse(json));
  } catch {
    return [];
  }
}
