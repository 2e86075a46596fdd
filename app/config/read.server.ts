import type { z } from "zod";
import { validateCombinations, warnOfCombinations } from "./combinations.server.ts";
import type { Config, ConfigMistake } from "./config.ts";
import { environmentSchema, fileKey, KEYS, mistakeAt } from "./environment.server.ts";
import { readSources, type Sources } from "./sources.server.ts";
import { findSuggestions } from "./suggestions.server.ts";
import { toConfig } from "./to-config.server.ts";

/** The configuration, or every mistake. Warnings concern settings that are valid but probably unintended. */
type ReadConfig =
  | { ok: true; config: Config; warnings: ConfigMistake[] }
  | { ok: false; mistakes: ConfigMistake[]; warnings: ConfigMistake[] };

/**
 * Reads the configuration from the environment and from the files that it names. Reports all mistakes at once, in the
 * order of docs/configuration.md.
 */
export function readConfig(env: Record<string, string | undefined>): ReadConfig {
  const sources = readSources(env);
  const texts = Object.fromEntries([...sources.texts].map(([name, { text }]) => [name, text]));
  const parsed = environmentSchema.safeParse(texts);
  const mistakes = [...sources.mistakes, ...toMistakes(parsed.error, sources), ...validateCombinations(sources)];
  const suggestions = findSuggestions(env);
  if (!parsed.success || mistakes.length > 0) return { ok: false, mistakes: inOrder(mistakes), warnings: suggestions };
  return {
    ok: true,
    config: toConfig(parsed.data),
    warnings: [...warnOfCombinations(sources, parsed.data), ...suggestions],
  };
}

function toMistakes(error: z.ZodError | undefined, sources: Sources): ConfigMistake[] {
  const issues = error?.issues.map((issue) => ({ name: String(issue.path[0]), wrong: issue.message })) ?? [];
  return issues
    .filter(({ name }) => !sources.mistakes.some(({ key }) => key === name || key === fileKey(name)))
    .map(({ name, wrong }) => mistakeAt(name, sources.texts.has(name) ? wrong : "is not set"));
}

function inOrder(mistakes: ConfigMistake[]): ConfigMistake[] {
  const order = [...KEYS.keys()].flatMap((name) => [name, fileKey(name)]);
  return mistakes.toSorted((a, b) => order.indexOf(a.key) - order.indexOf(b.key));
}
