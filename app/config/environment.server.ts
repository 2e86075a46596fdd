import { z } from "zod";
import type { ConfigMistake } from "./config.ts";
import { getKeyDescription, type KeyDescription, TOPICS } from "./key.server.ts";
import { operationKeys } from "./operation-keys.server.ts";
import { providerKeys } from "./provider-keys.server.ts";
import { serviceKeys } from "./service-keys.server.ts";
import { peopleKeys } from "./user-keys.server.ts";

/**
 * All keys of the environment with validation and description, the source of messages, `config show` and the manual.
 */
export const environmentSchema = z.object({ ...serviceKeys, ...peopleKeys, ...providerKeys, ...operationKeys });

/** The validated environment, by key. */
export type Environment = z.output<typeof environmentSchema>;

/** The descriptions of all keys, in the order of the manual. */
export const KEYS: ReadonlyMap<string, KeyDescription> = new Map(
  Object.entries(environmentSchema.shape)
    .map(([name, value]) => ({ name, facts: getKeyDescription(value) }))
    .sort((a, b) => TOPICS.indexOf(a.facts.topic) - TOPICS.indexOf(b.facts.topic))
    .map(({ name, facts }) => [name, facts]),
);

/** Returns the description of a key. Throws for an unknown name. */
export function factsOf(name: string): KeyDescription {
  const facts = KEYS.get(name);
  if (!facts) {
    throw new Error(`no key of the environment: ${name}`);
  }
  return facts;
}

/** Creates a mistake for this key, with the expected value from its description. */
export function mistakeAt(name: string, wrong: string): ConfigMistake {
  return { key: name, wrong, expected: factsOf(name).expected };
}

/** Returns the key that holds the path of a file instead of the value. */
export function fileKey(name: string): string {
  return `${name}_FILE`;
}
