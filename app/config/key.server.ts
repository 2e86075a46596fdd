import { z } from "zod";
import { PROVIDERS } from "./providers.ts";

/** The sections of docs/configuration.md, in order. */
export const TOPICS = [
  "address",
  "database",
  "secrets",
  "names",
  "mail",
  "proxies",
  "sign-in",
  ...PROVIDERS,
  "backup",
  "logs",
] as const;
export type Topic = (typeof TOPICS)[number];

/** Description of a key, for the manual and for messages. */
export type KeyDescription = {
  topic: Topic;
  /** Effect of the key, in whole sentences. */
  meaning: string;
  /** Second half of "expected: …", with the unit of a number. */
  expected: string;
  example: string;
  /** Behaviour without the key: a default value, a refused start, or as described. */
  unset: { default: string } | "refused" | { means: string };
  /** Shown only as "set" or without its password; can also be read from the file in NAME_FILE. */
  secret?: "hidden" | "url";
};

const descriptions = z.registry<KeyDescription>();

/** Declares a key: its validation and its description. */
export function key<S extends z.ZodType>(value: S, description: KeyDescription): S {
  descriptions.add(value, description);
  return value;
}

/** Returns the description passed to `key`. Throws for a schema without one. */
export function getKeyDescription(value: z.core.$ZodType): KeyDescription {
  const found = descriptions.get(value);
  if (!found) throw new Error("a configuration key was declared without a description");
  return found;
}
