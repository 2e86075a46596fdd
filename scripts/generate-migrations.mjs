// @ts-check
// Generates the migrations of both databases from the schema.
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { runNode } from "./children.mjs";

const TIMEOUT_MS = 60_000;
const NOTHING_TO_DO = "No schema changes";

/** drizzle-kit's dialect by migrations folder. */
const DIALECTS = { sqlite: "sqlite", postgres: "postgresql" };

/**
 * Writes the migrations from the committed state to app/db/schema.server.ts, with the same name in drizzle/sqlite and
 * drizzle/postgres. With `check`, writes nothing. Returns the folders that lacked a migration. Throws if drizzle-kit
 * fails.
 *
 * @param {string} root the folder of the repository
 * @param {{ check: boolean, name?: string }} options `name`: name of the migration, in snake_case
 * @returns {Promise<string[]>}
 */
export async function generateMigrations(root, { check, name = "change" }) {
  const stale = [];
  for (const [folder, dialect] of Object.entries(DIALECTS)) {
    const path = `drizzle/${folder}`;
    const added = await withCopy(join(root, path), (copy) =>
      generate(root, { folder, dialect, name, out: copy }, check),
    );
    if (added > 0) stale.push(path);
  }
  if (!check) requireSameNames(root);
  return stale;
}

/**
 * Calls `work` with a temporary copy of the folder, so that a failure does not change the folder.
 *
 * @param {string} folder
 * @param {(copy: string) => Promise<number>} work
 */
async function withCopy(folder, work) {
  const copy = mkdtempSync(join(tmpdir(), "migrations-"));
  try {
    cpSync(folder, copy, { recursive: true });
    return await work(copy);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/**
 * @param {string} root
 * @param {{ folder: string, dialect: string, name: string, out: string }} step
 * @param {boolean} check
 * @returns {Promise<number>} how many migrations were missing
 */
async function generate(root, { folder, dialect, name, out }, check) {
  const before = migrationNames(out).length;
  const schema = `app/db/${folder}/schema.server.ts`;
  // drizzle-kit prepends "./" to the folder.
  const folderOption = `--out=${relative(root, out)}`;
  const args = ["generate", `--dialect=${dialect}`, `--schema=${schema}`, folderOption, `--name=${name}`];
  const drizzleKit = join(root, "node_modules/drizzle-kit/bin.cjs");
  const { code, output } = await runNode(drizzleKit, args, { cwd: root, timeoutMs: TIMEOUT_MS });
  const added = migrationNames(out).length - before;
  // drizzle-kit exits with 0 after some errors: require a new migration or the message that there is nothing to do.
  if (code !== 0 || (added === 0 && !output.includes(NOTHING_TO_DO))) throw new Error(`drizzle-kit failed:\n${output}`);
  if (added > 0 && !check) cpSync(out, join(root, "drizzle", folder), { recursive: true });
  return added;
}

/** @param {string} root */
function requireSameNames(root) {
  const [one, other] = Object.keys(DIALECTS).map((folder) => migrationNames(join(root, "drizzle", folder)).join(", "));
  if (one !== other) {
    throw new Error(`drizzle/sqlite has ${one}, drizzle/postgres has ${other}: both need the same steps`);
  }
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function migrationNames(folder) {
  const journal = JSON.parse(readFileSync(join(folder, "meta/_journal.json"), "utf8"));
  return journal.entries.map((/** @type {{ tag: string }} */ { tag }) => tag);
}
