import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Its texts define the keys; the product uses it if the browser requests no supported language. */
const FALLBACK = "en";

const HEAD = "// Generated from the folders of locales/: npm run generate\n";

/** Writes the list of languages and the imports of their texts, unless `check` is set. Returns the stale paths. */
export async function generateLanguages(root: string, { check }: { check: boolean }): Promise<string[]> {
  const folder = join(root, "locales");
  const languages = (await readdir(folder)).sort();
  const files = (await readdir(join(folder, FALLBACK))).sort();
  for (const language of languages) requireFiles(language, files, await readdir(join(folder, language)));
  const stale: string[] = [];
  for (const [path, text] of [
    ["app/i18n/languages.generated.ts", renderList(languages)],
    ["app/i18n/resources.generated.server.ts", renderResources(languages, files)],
  ] as const) {
    // A missing file is stale.
    if ((await readFile(join(root, path), "utf8").catch(() => null)) === text) continue;
    stale.push(path);
    if (!check) await writeFile(join(root, path), text);
  }
  return stale;
}

/** Throws if a folder is not named by a language, or lacks a file. */
function requireFiles(language: string, files: readonly string[], present: readonly string[]): void {
  if (!/^[a-z]{2,3}$/.test(language)) {
    throw new Error(`locales/${language} is not a language. Name the folder by its code without region, such as pt.`);
  }
  const missing = files.filter((file) => !present.includes(file));
  if (missing.length > 0) {
    throw new Error(
      `locales/${language} lacks ${missing.join(", ")}. Copy it from locales/${FALLBACK} and translate it.`,
    );
  }
}

function renderList(languages: readonly string[]): string {
  const names = [FALLBACK, ...languages.filter((language) => language !== FALLBACK)];
  return `${HEAD}
/** The supported languages. The fallback is first. */
export const LANGUAGES = [${names.map((name) => `"${name}"`).join(", ")}] as const;
`;
}

function renderResources(languages: readonly string[], files: readonly string[]): string {
  const names = files.map((file) => file.replace(/\.json$/, ""));
  const variable = (language: string, name: string) => language + name.charAt(0).toUpperCase() + name.slice(1);
  const imports = languages.flatMap((language) =>
    names.map((name) => `import ${variable(language, name)} from "#locales/${language}/${name}.json";`),
  );
  const merged = (language: string) => `{ ${names.map((name) => `...${variable(language, name)}`).join(", ")} }`;
  const resources = languages.map((language) => `  ${language}: {\n    translation: ${merged(language)},\n  },`);
  return `${HEAD}${imports.join("\n")}

/** All texts by language. The files of a language form one namespace, so keys are the same everywhere. */
export const resources = {
${resources.join("\n")}
};
`;
}
