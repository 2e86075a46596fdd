import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { readVersion } from "#app/config/version.server.ts";
import { foldAllNames } from "#app/db/repositories/users.server.ts";
import { StoreError } from "./errors.server.ts";
import type { Store } from "./store.server.ts";
import { rollback } from "./transaction.server.ts";

/** One schema migration; its name is the same for both databases. */
type Migration = { name: string; statements: string[] };

const LOCK = "migrations";
/** The migration that added the folded names of users. */
const FOLDING_MIGRATION = "0013_administration_and_passkeys";
/** Separator that drizzle-kit writes between statements. */
const BREAKPOINT = "--> statement-breakpoint";

/** The applied migrations, with the version of the program that applied them; valid on both databases. */
const CREATE_JOURNAL = `CREATE TABLE IF NOT EXISTS schema_migrations (
  name text PRIMARY KEY NOT NULL,
  applied_at text NOT NULL DEFAULT CURRENT_TIMESTAMP,
  version text
)`;

const journalSchema = z.object({ entries: z.array(z.object({ tag: z.string() })) });

/** Versions before 0.3.0 created the table without `version`. */
const appliedSchema = z.array(z.object({ name: z.string(), version: z.string().nullish() }));

/** A row of schema_migrations. */
type AppliedMigration = z.output<typeof appliedSchema>[number];

/**
 * Applies the missing migrations in order, all in one transaction, and returns their names: a failed or killed upgrade
 * leaves the schema of the older version. Several processes may call it at once.
 * `before` is called with the first migration's name before a non-empty database changes; if it rejects, nothing
 * changes. `folder` contains sqlite/ and postgres/; default: the first drizzle/ folder above this file.
 * Drizzle's own migrators are unsuitable: they look only at the newest applied migration, and open no transaction on
 * this driver.
 * @throws StoreError "database newer" if the database contains migrations that this program does not.
 */
export async function migrateStore(
  store: Store,
  { folder = findMigrations(), before }: { folder?: string; before?: (migration: string) => Promise<void> } = {},
): Promise<string[]> {
  const known = readMigrations(store, folder);
  const applied = await appliedMigrations(store);
  const [first] = pendingOf(known, applied);
  if (first === undefined) return [];
  if (applied.length > 0) await before?.(first.name);
  return withoutForeignKeys(store, () => store.tx((tx) => applyPending(tx, known)));
}

/**
 * Applies the missing migrations, rolls them back, and returns their names. On PostgreSQL, others wait for the changed
 * tables meanwhile.
 * @throws StoreError "database newer", and the error of a migration that fails on this data.
 */
export async function tryMigrations(
  store: Store,
  { folder = findMigrations() }: { folder?: string } = {},
): Promise<string[]> {
  const known = readMigrations(store, folder);
  if (pendingOf(known, await appliedMigrations(store)).length === 0) return [];
  return withoutForeignKeys(store, () => store.tx(async (tx) => rollback(await applyPending(tx, known))));
}

/**
 * Returns the names of the migrations that `migrateStore` would apply, in order. Throws StoreError "database newer".
 */
export async function listPendingMigrations(
  store: Store,
  { folder = findMigrations() }: { folder?: string } = {},
): Promise<string[]> {
  return pendingOf(readMigrations(store, folder), await appliedMigrations(store)).map((migration) => migration.name);
}

/**
 * Returns the migrations of a newer version, which this program does not have, in order, and that version; it is null
 * if it was not recorded.
 */
export async function findNewerMigrations(store: Store): Promise<{ names: string[]; version: string | null }> {
  return newerMigrations(readMigrations(store, findMigrations()), await appliedMigrations(store));
}

/**
 * Compares the applied migrations with the program's: `pending` are missing in the database, `unknown` in the program;
 * `known` are all migrations of the program, in order.
 */
export function describeSchema(
  dialect: Store["dialect"],
  applied: readonly string[],
): { pending: string[]; unknown: string[]; known: string[] } {
  const known = readMigrations({ dialect }, findMigrations()).map(({ name }) => name);
  return {
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
    known,
  };
}

/** Applies what is still missing in this transaction; nothing if another process has applied it in the meantime. */
async function applyPending(tx: Store, known: Migration[]): Promise<string[]> {
  await tx.lock(LOCK);
  await createJournal(tx);
  const pending = pendingOf(known, await appliedMigrations(tx));
  const version = readVersion();
  for (const migration of pending) {
    for (const statement of migration.statements) await tx.execute(statement);
    if (tx.dialect === "sqlite") await requireForeignKeys(tx, migration);
    await tx.execute(`INSERT INTO schema_migrations (name, version) VALUES ('${migration.name}', '${version}')`);
  }
  // SQLite has no function that folds names as the program does.
  if (pending.some(({ name }) => name === FOLDING_MIGRATION)) await foldAllNames(tx);
  return pending.map(({ name }) => name);
}

async function createJournal(tx: Store): Promise<void> {
  await tx.execute(CREATE_JOURNAL);
  const columns =
    tx.dialect === "sqlite"
      ? "SELECT name FROM pragma_table_info('schema_migrations')"
      : "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'schema_migrations'";
  const names = z.array(z.object({ name: z.string() })).parse(await tx.execute(columns));
  if (!names.some(({ name }) => name === "version")) {
    await tx.execute("ALTER TABLE schema_migrations ADD COLUMN version text");
  }
}

/**
 * Runs `work` with foreign keys off. SQLite changes a table by rebuilding it and dropping the old one; with foreign
 * keys on, the drop would delete every row that refers to it. The PRAGMA has no effect inside a transaction.
 */
async function withoutForeignKeys<T>(store: Store, work: () => Promise<T>): Promise<T> {
  if (store.dialect !== "sqlite") return work();
  await store.execute("PRAGMA foreign_keys = OFF");
  try {
    return await work();
  } finally {
    await store.execute("PRAGMA foreign_keys = ON");
  }
}

async function requireForeignKeys(store: Store, migration: Migration): Promise<void> {
  const broken = await store.execute("PRAGMA foreign_key_check");
  if (broken.length > 0) {
    throw new Error(`migration ${migration.name} leaves ${broken.length} rows that reference missing rows`);
  }
}

function pendingOf(known: Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const newer = newerMigrations(known, applied);
  if (newer.names.length > 0) throw databaseNewer(newer);
  return known.filter(({ name }) => !applied.some((migration) => migration.name === name));
}

function newerMigrations(known: Migration[], applied: readonly AppliedMigration[]) {
  const unknown = applied.filter(({ name }) => !known.some((migration) => migration.name === name));
  return { names: unknown.map(({ name }) => name).sort(), version: unknown.at(-1)?.version ?? null };
}

function databaseNewer({ names, version }: { names: string[]; version: string | null }): StoreError {
  return new StoreError(
    "database newer",
    `The database was migrated by ${version === null ? "a newer version of Gatehouse" : `Gatehouse ${version}`}, ` +
      `but this is Gatehouse ${readVersion()}, which does not have these migrations: ${names.join(", ")}.\n` +
      "Run the newer version, or go back: gatehouse rollback. Without the Debian package, stop the service and run this " +
      "version's: gatehouse restore --before-upgrade",
  );
}

async function appliedMigrations(store: Store): Promise<AppliedMigration[]> {
  const exists =
    store.dialect === "sqlite"
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'"
      : "SELECT 1 AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_migrations'";
  if ((await store.execute(exists)).length === 0) return [];
  return appliedSchema.parse(await store.execute("SELECT * FROM schema_migrations ORDER BY name"));
}

function readMigrations(store: Pick<Store, "dialect">, folder: string): Migration[] {
  const dialectFolder = join(folder, store.dialect);
  const journal = journalSchema.parse(JSON.parse(readFileSync(join(dialectFolder, "meta", "_journal.json"), "utf8")));
  return journal.entries.map(({ tag }) => ({
    name: tag,
    statements: readFileSync(join(dialectFolder, `${tag}.sql`), "utf8").split(BREAKPOINT),
  }));
}

function findMigrations(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "drizzle", "sqlite", "meta", "_journal.json"))) {
    if (dirname(folder) === folder) {
      throw new Error("the folder drizzle/ with the migrations is missing. Install Gatehouse again");
    }
    folder = dirname(folder);
  }
  return join(folder, "drizzle");
}
