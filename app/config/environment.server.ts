import { z } from "zod";
import type { ConfigMistake } from "./config.ts";
import { getKeyDescription, type KeyDescription, TOPICS } from "./key.server.ts";
import { mailKeys } from "./mail-keys.server.ts";
import { operationKeys } from "./operation-keys.server.ts";
import { providerKeys } from "./provider-keys.server.ts";
import { serviceKeys } from "./service-keys.server.ts";
import { userKeys } from "./user-keys.server.ts";

/**
 * All keys of the environment with validation and description, the source of messages, `config show` and the manual.
 */
export const environmentSchema = z.object({
  ...serviceKeys,
  ...userKeys,
  ...mailKeys,
  ...providerKeys,
  ...operationKeys,
});

/** The validated environment, by key. */
export type Environment = z.output<typeof environmentSchema>;

/** The descriptions of all keys, in the order of the manual. */
export const KEYS: ReadonlyMap<string, KeyDescription> = new Map(
  Object.entries(environmentSchema.shape)
    .map(([name, value]) => ({ name, description: getKeyDescription(value) }))
    .sort((a, b) => TOPICS.indexOf(a.description.topic) - TOPICS.indexOf(b.description.topic))
    .map(({ name, description }) => [name, description]),
);

/** Returns the description of a key. Throws for an unknown name. */
function describeKey(name: string): KeyDescription {
  const description = KEYS.get(name);
  if (!description) throw new Error(`unknown configuration key: ${name}`);
  return description;
}

/** Creates a mistake for this key, with the expected value from its description. */
export function mistakeAt(name: string, wrong: string): ConfigMistake {
  return { key: name, wrong, expected: describeKey(name).expected };
}

/** Returns the key that holds the path of a file instead of the value. */
export function fileKey(name: string): string {
  return `${name}_FILE`;
}
