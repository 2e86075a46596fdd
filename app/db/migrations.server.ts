import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { StoreError } from "./errors.server.ts";
import type { Store } from "./store.server.ts";

/** One schema migration; its name is the same for both databases. */
type Migration = { name: string; statements: string[] };

const LOCK = "migrations";
/** Separator that drizzle-kit writes between statements. */
const BREAKPOINT = "--> statement-breakpoint";

/** Names of the applied migrations; the statement is valid on both databases. */
const CREATE_JOURNAL = `CREATE TABLE IF NOT EXISTS schema_migrations (
  name text PRIMARY KEY NOT NULL,
  applied_at text NOT NULL DEFAULT CURRENT_TIMESTAMP
)`;

const journalSchema = z.object({ entries: z.array(z.object({ tag: z.string() })) });
const appliedSchema = z.array(z.object({ name: z.string() }));

/**
 * Applies each missing migration in order, each in its own transaction, and returns their names. Several processes may
 * call it at once.
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
  const applied = await appliedNames(store);
  const pending = pendingOf(known, applied);
  const [first] = pending;
  if (first === undefined) return [];
  if (applied.length > 0) await before?.(first.name);
  const done: string[] = [];
  for (const migration of pending)
    if (await withoutForeignKeys(store, () => apply(store, known, migration))) done.push(migration.name);
  return done;
}

/**
 * Returns the names of the migrations that `migrateStore` would apply, in order. Throws StoreError "database newer".
 */
export async function listPendingMigrations(
  store: Store,
  { folder = findMigrations() }: { folder?: string } = {},
): Promise<string[]> {
  return pendingOf(readMigrations(store, folder), await appliedNames(store)).map((migration) => migration.name);
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

/** Returns false if another process has applied the migration in the meantime. */
async function apply(store: Store, known: Migration[], migration: Migration): Promise<boolean> {
  return store.tx(async (tx) => {
    await tx.lock(LOCK);
    await tx.execute(CREATE_JOURNAL);
    if (!pendingOf(known, await appliedNames(tx)).includes(migration)) return false;
    for (const statement of migration.statements) await tx.execute(statement);
    if (tx.dialect === "sqlite") await requireForeignKeys(tx, migration);
    await tx.execute(`INSERT INTO schema_migrations (name) VALUES ('${migration.name}')`);
    return true;
  });
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
  if (broken.length > 0)
    throw new Error(`migration ${migration.name} leaves ${broken.length} rows that reference missing rows`);
}

function pendingOf(known: Migration[], applied: string[]): Migration[] {
  const names = known.map((migration) => migration.name);
  const unknown = applied.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new StoreError(
      "database newer",
      `The database was migrated by a newer version of Gatehouse (unknown migrations: ${unknown.join(", ")}). ` +
        `It has ${applied.length} migrations; this version has ${names.length}, up to ${names.at(-1)}. ` +
        "Run the newer version, or restore a backup made before the upgrade.",
    );
  }
  return known.filter((migration) => !applied.includes(migration.name));
}

async function appliedNames(store: Store): Promise<string[]> {
  const exists =
    store.dialect === "sqlite"
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'"
      : "SELECT 1 AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_migrations'";
  if ((await store.execute(exists)).length === 0) return [];
  return appliedSchema.parse(await store.execute("SELECT name FROM schema_migrations")).map(({ name }) => name);
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
    if (dirname(folder) === folder)
      throw new Error("the folder drizzle/ with the migrations is missing. Install Gatehouse again");
    folder = dirname(folder);
  }
  return join(folder, "drizzle");
}
