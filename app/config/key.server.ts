import { z } from "zod";

/** The sections of docs/configuration.md, in their order. */
export const TOPICS = [
  "address",
  "database",
  "secrets",
  "names",
  "mail",
  "proxies",
  "sign-in",
  "google",
  "microsoft",
  "apple",
  "backup",
  "logs",
] as const;
export type Topic = (typeof TOPICS)[number];

/** What is known of one key beside the check of its value. The manual and every message are made from it. */
export type KeyDescription = {
  topic: Topic;
  /** What the key decides, in whole sentences. */
  meaning: string;
  /** What a right value is; the second half of "expected: …". Names the unit of a number. */
  expected: string;
  example: string;
  /** What holds when the key is not set: this text as if it had been given, nothing (the start is refused), or as described. */
  unset: { default: string } | "refused" | { means: string };
  /** Shown only as "set", or with its password left out, and also read from the file that NAME_FILE names. */
  secret?: "hidden" | "url";
};

const facts = z.registry<KeyDescription>();

/** Declares one key: the check of its value, and everything people need to know of it. */
export function key<S extends z.ZodType>(value: S, keyFacts: KeyDescription): S {
  facts.add(value, keyFacts);
  return value;
}

/** The facts given to `key`. Throws for a schema that was declared without them. */
export function getKeyDescription(value: z.core.$ZodType): KeyDescription {
  const found = facts.get(value);
  if (!found) {
    throw new Error("a key of the environment was declared without its facts");
  }
  return found;
}
