import { readFileSync } from "node:fs";
import type { ConfigMistake } from "./config.ts";
import { fileKey, KEYS, mistakeAt } from "./environment.server.ts";
import { quote } from "./validate.server.ts";

/** Origin of a value. */
export type Origin = "environment" | "file" | "default";

/** The texts to validate, each with its origin; `mistakes` are of keys whose text could not be read. */
export type Sources = { texts: Map<string, { text: string; origin: Origin }>; mistakes: ConfigMistake[] };

/** Reads the text of every key from the environment, from the file in NAME_FILE, or from its default. */
export function readSources(env: Record<string, string | undefined>): Sources {
  const sources: Sources = { texts: new Map(), mistakes: [] };
  for (const [name, description] of KEYS) {
    const given = env[name] ?? "";
    const file = description.secret ? (env[fileKey(name)] ?? "") : "";
    if (given !== "" && file !== "") {
      sources.mistakes.push(mistakeAt(name, `is set, and so is ${fileKey(name)}; set only one of them`));
    } else if (given !== "") {
      sources.texts.set(name, { text: given, origin: "environment" });
    } else if (file !== "") {
      addFile(sources, name, file);
    } else if (typeof description.unset === "object" && "default" in description.unset) {
      sources.texts.set(name, { text: description.unset.default, origin: "default" });
    }
  }
  return sources;
}

/** Returns true if a value was given, even one that could not be read: it has its own mistake. */
export function isGiven(key: string, sources: Sources): boolean {
  const source = sources.texts.get(key);
  const failed = sources.mistakes.some((mistake) => mistake.key === key || mistake.key === fileKey(key));
  return failed || (source !== undefined && source.origin !== "default");
}

function addFile(sources: Sources, name: string, file: string): void {
  const content = readText(file);
  if ("failed" in content) {
    const wrong = `cannot be read from ${quote(file)} (${content.failed})`;
    sources.mistakes.push({
      key: fileKey(name),
      wrong,
      expected: "the path of a readable file that contains the value",
    });
    return;
  }
  // Editors end a file with a line break, which is not part of the secret.
  const text = content.text.replace(/[\r\n]+$/, "");
  if (text === "") {
    const wrong = `is the path of an empty file: ${quote(file)}`;
    sources.mistakes.push({
      key: fileKey(name),
      wrong,
      expected: "the path of a readable file that contains the value",
    });
    return;
  }
  sources.texts.set(name, { text, origin: "file" });
}

function readText(file: string): { text: string } | { failed: string } {
  try {
    return { text: readFileSync(file, "utf8") };
  } catch (error) {
    return { failed: error instanceof Error && "code" in error ? String(error.code) : "unreadable" };
  }
}
