import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "#tests/support/source-tree.ts";
import { generateLanguages } from "../../../scripts/generate-languages.ts";

/** The pseudo-language: the English texts with accents, in brackets. */
export const PSEUDO = "xx";

/** A text that the pseudo-language lacks. */
const MISSING = ["serverError", "404", "title"];

const FOLDER = join(ROOT, ".cache/pseudo-language");

/** Entries of the repository that the build does not need. */
const UNUSED = ["node_modules", "build", "data", "docs", "tests"];

/**
 * Builds a copy of the product in which only the folder locales/xx is added and the generator is run. The copy is kept
 * in .cache/, so that it is built again only if the product has changed. Returns its folder.
 */
export async function buildWithPseudoLanguage(): Promise<string> {
  mkdirSync(FOLDER, { recursive: true });
  for (const name of readdirSync(ROOT).filter((name) => !name.startsWith(".") && !UNUSED.includes(name))) {
    rmSync(join(FOLDER, name), { recursive: true, force: true });
    cpSync(join(ROOT, name), join(FOLDER, name), { recursive: true });
  }
  if (!existsSync(join(FOLDER, "node_modules"))) symlinkSync(join(ROOT, "node_modules"), join(FOLDER, "node_modules"));
  writePseudoLanguage(join(FOLDER, "locales"));
  await generateLanguages(FOLDER, { check: false });
  // Without the environment of Vitest, which vite.config.ts reads.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production" } as const;
  await promisify(execFile)(process.execPath, [join(FOLDER, "scripts/build.mjs")], { cwd: FOLDER, env });
  return FOLDER;
}

function writePseudoLanguage(locales: string): void {
  mkdirSync(join(locales, PSEUDO));
  for (const file of readdirSync(join(locales, "en"))) {
    const texts: unknown = JSON.parse(readFileSync(join(locales, "en", file), "utf8"));
    writeFileSync(join(locales, PSEUDO, file), JSON.stringify(pseudoTexts(texts, [])));
  }
}

function pseudoTexts(texts: unknown, path: readonly string[]): unknown {
  if (path.join(".") === MISSING.join(".")) return undefined;
  if (typeof texts === "string") return path.at(-1) === "dateLocale" ? texts : pseudo(texts);
  return Object.fromEntries(
    Object.entries(Object(texts)).map(([key, text]) => [key, pseudoTexts(text, [...path, key])]),
  );
}

const ACCENTS = new Map([..."aeiouAEIOU"].map((vowel, index) => [vowel, [..."áéíóúÁÉÍÓÚ"][index] ?? vowel]));

/** Returns `[!! Pássword óf {{name}} !!]` for `Password of {{name}}`. */
export function pseudo(text: string): string {
  const parts = text.split(/(\{\{\w+\}\})/);
  const accented = parts.map((part) => (part.startsWith("{{") ? part : part.replace(/[aeiou]/gi, accentOf)));
  return `[!! ${accented.join("")} !!]`;
}

function accentOf(vowel: string): string {
  return ACCENTS.get(vowel) ?? vowel;
}

/** Removes pseudo-texts, which may contain each other. */
export function withoutPseudoTexts(text: string): string {
  const rest = text.replace(/\[!![^[\]]*!!\]/g, " ");
  return rest === text ? text : withoutPseudoTexts(rest);
}
