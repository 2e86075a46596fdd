import { z } from "zod";
import type { ConfigMistake } from "./config.ts";
import { getKeyDescription, type KeyDescription, TOPICS } from "./key.server.ts";
import { operationKeys } from "./operation-keys.server.ts";
import { providerKeys } from "./provider-keys.server.ts";
import { serviceKeys } from "./service-keys.server.ts";
import { peopleKeys } from "./user-keys.server.ts";

/** THE ENVIRONMENT: every key, its check and its facts. Messages, `config show` and the manual are made from it. */
export const environmentSchema = z.object({ ...serviceKeys, ...peopleKeys, ...providerKeys, ...operationKeys });

/** The environment after its checks, still under the names of its keys. */
export type Environment = z.output<typeof environmentSchema>;

/** Every key with its facts, in the order of the manual. */
export const KEYS: ReadonlyMap<string, KeyDescription> = new Map(
  Object.entries(environmentSchema.shape)
    .map(([name, value]) => ({ name, facts: getKeyDescription(value) }))
    .sort((a, b) => TOPICS.indexOf(a.facts.topic) - TOPICS.indexOf(b.facts.topic))
    .map(({ name, facts }) => [name, facts]),
);

/** The facts of a key of the schema. Throws for any other name. */
export function factsOf(name: string): KeyDescription {
  const facts = KEYS.get(name);
  if (!facts) {
    throw new Error(`no key of the environment: ${name}`);
  }
  return facts;
}

/** A mistake at this key, with what its facts say a right value is. */
export function mistakeAt(name: string, wrong: string): ConfigMistake {
  return { key: name, wrong, expected: factsOf(name).expected };
}

/** The key that holds the path of a file instead of the value. */
export function fileKey(name: string): string {
  return `${name}_FILE`;
}
