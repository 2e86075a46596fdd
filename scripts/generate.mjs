// @ts-check
// Writes all generated files: migrations, docs/configuration.md, docs/openapi.json, recipes of docs/clients.md, pages of
// docs/applications/, index of docs/decisions/, tests of the requirements in docs/security.md, list of common passwords,
// list of languages.
// npm run generate                     --name add_teams names a new migration
// npm run generate -- --check          writes nothing, lists stale files and exits with code 1
import "./supported-node.mjs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generateMigrations } from "./generate-migrations.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Runs all generators sequentially. Returns the stale paths.
 *
 * @param {{ check: boolean, name?: string }} options `check`: write nothing; `name`: name of a new migration
 * @returns {Promise<string[]>}
 */
async function generateAll(options) {
  // After the switch to a supported Node.
  const { tsImport } = await import("tsx/esm/api");
  // First, because the other generators import code that imports the languages.
  const { generateLanguages } = await tsImport("./generate-languages.ts", import.meta.url);
  const languages = await generateLanguages(ROOT, options);
  const { generateConfigurationDocs } = await tsImport("./generate-configuration-docs.ts", import.meta.url);
  const { generateOpenApi } = await tsImport("./generate-openapi.ts", import.meta.url);
  const { generateClientRecipes } = await tsImport("./generate-client-recipes.ts", import.meta.url);
  const { generateApplicationPages } = await tsImport("./generate-application-pages.ts", import.meta.url);
  const { generateDecisionIndex } = await tsImport("./generate-decision-index.ts", import.meta.url);
  const { generateRequirements } = await tsImport("./generate-requirements.ts", import.meta.url);
  const { generateCommonPasswords } = await tsImport("./generate-common-passwords.ts", import.meta.url);
  return [
    ...languages,
    ...(await generateMigrations(ROOT, options)),
    ...(await generateConfigurationDocs(ROOT, options)),
    ...(await generateOpenApi(ROOT, options)),
    ...(await generateClientRecipes(ROOT, options)),
    ...(await generateApplicationPages(ROOT, options)),
    ...(await generateDecisionIndex(ROOT, options)),
    ...(await generateRequirements(ROOT, options)),
    ...(await generateCommonPasswords(ROOT, options)),
  ];
}

async function main() {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false }, name: { type: "string" } } });
  const stale = await generateAll(values);
  for (const path of stale) {
    console.log(values.check ? `${path} is out of date` : `${path} written`);
  }
  if (values.check && stale.length > 0) {
    console.error("Run: npm run generate");
    process.exitCode = 1;
  }
}

await main();
