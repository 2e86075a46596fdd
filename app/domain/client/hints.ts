import { z } from "zod";
import { lineSchema } from "#app/domain/base/line-schema.ts";

/** A hint of the client about the user to be registered. */
export type RegistrationHint = { key: string; value: string };

/** Maximum number of hints per request. */
export const MAX_HINTS = 10;

/** Maximum number of characters per hint. */
const MAX_HINT_LENGTH = 200;

/** Name of a hint, as declared by a client. */
export const hintKeySchema = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,49}$/);

const valueSchema = lineSchema(MAX_HINT_LENGTH);
const storedSchema = z.array(z.object({ key: hintKeySchema, value: valueSchema })).max(MAX_HINTS);

/**
 * Selects the first ten declared hints with a single-line value of at most 200 characters. Ignores all others, so that
 * a hint never fails a sign-in.
 * @param read returns the value sent for a key; a value that is not a string is ignored
 */
export function pickHints(declared: readonly string[], read: (key: string) => unknown): RegistrationHint[] {
  const hints = declared.flatMap((key) => {
    const value = valueSchema.safeParse(read(key));
    return value.success ? [{ key, value: value.data }] : [];
  });
  return hints.slice(0, MAX_HINTS);
}

/** Parses stored hints from JSON. Returns an empty list for anything else. */
export function parseHints(json: unknown): RegistrationHint[] {
  if (typeof json !== "string") return [];
  try {
    return storedSchema.parse(JSON.parse(json));
  } catch {
    return [];
  }
}
