import { createHash, randomBytes } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { onTestFinished } from "vitest";
import { migrateStore } from "#app/db/migrations.server.ts";
import { type DatabaseTarget, openStore, type Store } from "#app/db/store.server.ts";
import { ROOT } from "./source-tree.ts";

export const ALL_DIALECTS = ["sqlite", "postgres"] as const;
export type Dialect = (typeof ALL_DIALECTS)[number];

/** The tests of the store run with both, or with the one of GATEHOUSE_TEST_DIALECT. */
export const dialects: readonly Dialect[] = ALL_DIALECTS.filter((dialect) => {
  const { GATEHOUSE_TEST_DIALECT: only = dialect } = process.env;
  return dialect === only;
});

/** A separate database; `remove` deletes it despite open connections. */
export type TestDatabase = { target: DatabaseTarget; remove(): Promise<void> };

/** Opens a new, migrated store that is removed after the test. Call it within a test. */
export async function withStore(dialect: Dialect): Promise<Store> {
  const database = await createDatabase(dialect);
  const store = await openStore(database.target);
  onTestFinished(async () => {
    await store.close();
    await database.remove();
  });
  return store;
}

/** Opens two stores of one new, migrated database, as two processes do. Call it within a test. */
export async function withTwoStores(dialect: Dialect): Promise<[Store, Store]> {
  const database = await createDatabase(dialect);
  const stores: [Store, Store] = [await openStore(database.target), await openStore(database.target)];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await database.remove();
  });
  return stores;
}

/** Creates a migrated database; the caller removes it. */
export async function createDatabase(dialect: Dialect): Promise<TestDatabase> {
  if (dialect === "postgres") return createOnServer(await ensureTemplate());
  const file = await ensureTemplateFile();
  const database = createFolder();
  copyFileSync(file, database.target.file);
  return database;
}

/** Creates a migrated SQLite file at this path. */
export async function createDatabaseFile(path: string): Promise<void> {
  copyFileSync(await ensureTemplateFile(), path);
}

/** Creates a database without tables; the caller removes it. */
export async function createEmptyDatabase(dialect: Dialect): Promise<TestDatabase> {
  return dialect === "postgres" ? createOnServer("template0") : createFolder();
}

/** Creates a folder for a SQLite file. */
function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-sqlite-"));
  return {
    target: { dialect: "sqlite" as const, file: join(folder, "gatehouse.sqlite") },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

let templateFile: Promise<string> | null = null;

/** Returns the path of a migrated SQLite file, which the first process creates and renames, so that it is complete. */
function ensureTemplateFile(): Promise<string> {
  templateFile ??= (async () => {
    const folder = join(ROOT, ".cache/test-databases");
    const file = join(folder, `${hashOfMigrations("sqlite")}.sqlite`);
    if (existsSync(file)) return file;
    mkdirSync(folder, { recursive: true });
    const unfinished = join(folder, `${randomBytes(8).toString("hex")}.sqlite`);
    // Closing the only connection also removes the WAL.
    await migrate({ dialect: "sqlite", file: unfinished });
    renameSync(unfinished, file);
    return file;
  })();
  return templateFile;
}

async function createOnServer(template: string): Promise<TestDatabase> {
  const name = `gatehouse_test_${randomBytes(8).toString("hex")}`;
  await onServer((server) => server.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  return {
    target: targetOf(name),
    remove: async () => {
      await onServer((server) => server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

let template: Promise<string> | null = null;

/** Returns the name of the migrated template database, which the first process creates. */
function ensureTemplate(): Promise<string> {
  template ??= onServer(async (server) => {
    const name = `gatehouse_template_${hashOfMigrations("postgres")}`;
    // The advisory lock covers the whole server and is released with the connection.
    await server.query("SELECT pg_advisory_lock(hashtext('gatehouse test template'))");
    const { rowCount } = await server.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (rowCount === 0) {
      const unfinished = `${name}_new`;
      await server.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
      await server.query(`CREATE DATABASE ${unfinished} TEMPLATE template0`);
      await migrate(targetOf(unfinished));
      await server.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
    }
    return name;
  });
  return template;
}

/** Names templates, which outlive the run on disk and on an external server. */
function hashOfMigrations(dialect: Dialect): string {
  const folder = join(ROOT, "drizzle", dialect);
  const hash = createHash("sha256");
  for (const file of readdirSync(folder).sort())
    if (file.endsWith(".sql")) hash.update(readFileSync(join(folder, file)));
  return hash.digest("hex").slice(0, 16);
}

async function migrate(target: DatabaseTarget): Promise<void> {
  const store = await openStore(target);
  try {
    await migrateStore(store);
  } finally {
    await store.close();
  }
}

function targetOf(name: string): DatabaseTarget {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return { dialect: "postgres", url: url.href };
}

async function onServer<T>(work: (server: pg.Client) => Promise<T>): Promise<T> {
  const server = new pg.Client({ connectionString: serverUrl() });
  await server.connect();
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}

function serverUrl(): string {
  const url = process.env.GATEHOUSE_TEST_POSTGRES;
  if (!url) {
    throw new Error("GATEHOUSE_TEST_POSTGRES is not set: the tests' global setup starts a PostgreSQL and sets it");
  }
  return url;
}

/** Returns the store with a pause in each of its transactions: after the work and before the commit. */
export function beforeEachCommit(store: Store, pause: (tx: Store) => Promise<void>): Store {
  return {
    ...store,
    tx: (work) =>
      store.tx(async (tx) => {
        const result = await work(tx);
        await pause(tx);
        return result;
      }),
  };
}
