import { existsSync, realpathSync } from "node:fs";
import Database from "better-sqlite3";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { causesOf, type Driver, type DriverTransaction, type Statement } from "#app/db/driver.server.ts";
import { requireNoStaleWal } from "#app/db/files/stale-wal.server.ts";
import { createIfMissing, requireWritable } from "#app/db/files/writable.server.ts";
import { createGroupCommit, type GroupTransaction } from "./group-commit.server.ts";
import { openedFile } from "./opened-file.server.ts";
import * as t from "./schema.server.ts";
import { acquireServerLock } from "./server-lock.server.ts";

/** More than the number of statements in the program; a list of values in a query makes one statement per length. */
const STATEMENT_CACHE_SIZE = 500;
/** Longest wait when opening the file, which another process may be creating. */
const OPEN_TIMEOUT_MS = 5000;

/**
 * Opens a SQLite file, creating it if missing. All statements share one connection: each waits for an open transaction
 * to end, and concurrent writes are committed together. `server: true` takes the server lock of the file.
 * @throws StoreError "second server" if another process holds the lock, "stale wal" if the WAL beside the file
 * belongs to another file, "not writable" if this process may not write the file.
 */
export function openSqlite(file: string, { server }: { server: boolean }): Driver {
  requireWritable(file);
  // Closing a second descriptor of an open file would drop the POSIX locks of this process, so skip the check.
  if (!openConnections.has(pathOf(file))) requireNoStaleWal(file);
  createIfMissing(file);
  const lock = server ? acquireServerLock(file) : null;
  try {
    const database = openDatabase(file);
    return driverOf(database, { file, server, release: registerConnection(file, () => lock?.release()) });
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Number of open connections of this process, by file. */
const openConnections = new Map<string, number>();

function registerConnection(file: string, release: () => void): () => void {
  const path = pathOf(file);
  openConnections.set(path, (openConnections.get(path) ?? 0) + 1);
  return () => {
    const remaining = (openConnections.get(path) ?? 1) - 1;
    if (remaining === 0) openConnections.delete(path);
    else openConnections.set(path, remaining);
    release();
  };
}

/** Resolves symbolic links and relative paths, so that a file has one name. */
function pathOf(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}

type Opened = { file: string; server: boolean; release: () => void };

function driverOf(database: Database.Database, { file, server, release }: Opened): Driver {
  const run = statementRunner(database);
  const shared = createGroupCommit(database);
  const opened = openedFile(file);

  return {
    dialect: "sqlite",
    t,
    queries: (runOnStore) =>
      drizzle(async (sql, params) => ({ rows: await runOnStore({ sql, params, shape: "arrays" }) })),
    async run(statement) {
      opened.requireSame();
      return shared[kindOf(statement)](() => run(statement));
    },
    async begin() {
      opened.requireSame();
      return transactionOf(await shared.begin(), run);
    },
    withDeferredDurability: shared.withDeferredDurability,
    isUnique,
    requireSameFile: opened.compare,
    async close() {
      if (!database.open) return;
      await shared.alone(() => {
        if (server) leaveWalMode(database);
        database.close();
      });
      release();
    },
  };
}

/**
 * Copies the WAL into the file and leaves WAL mode, so that a WAL found beside the file later is recognised as stale
 * (stale-wal.server.ts). If a command has the file open or the disk is full, the WAL stays and no data is lost.
 */
function leaveWalMode(database: Database.Database): void {
  try {
    database.pragma("journal_mode = DELETE");
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
  }
}

function kindOf({ sql }: Statement): "read" | "write" | "alone" {
  if (/^\s*select\b/i.test(sql)) return "read";
  return /^\s*(insert|update|delete)\b/i.test(sql) ? "write" : "alone";
}

function transactionOf(transaction: GroupTransaction, run: Run): DriverTransaction {
  return {
    run: async (statement) => transaction.run(() => run(statement)),
    // The transaction is already the only writer of the file.
    lock: async () => {},
    commit: transaction.commit,
    rollback: async () => transaction.rollback(),
  };
}

function openDatabase(file: string): Database.Database {
  const database = new Database(file, { timeout: OPEN_TIMEOUT_MS });
  database.pragma("journal_mode = WAL");
  // This build of SQLite defaults to NORMAL in WAL mode, where a power failure could restore a used token.
  database.pragma("synchronous = FULL");
  for (const pragma of ["foreign_keys = ON", "trusted_schema = OFF", "secure_delete = ON"]) database.pragma(pragma);
  // `retryWhileBusy` waits from here on: SQLite's own busy timeout would block the event loop.
  database.pragma("busy_timeout = 0");
  return database;
}

type Run = (statement: Statement) => unknown[];

function statementRunner(database: Database.Database): Run {
  const cache = new Map<string, Database.Statement>();

  function prepare(sql: string): Database.Statement {
    const cached = cache.get(sql);
    // Reinserted at the end: the first entry is the least recently used.
    cache.delete(sql);
    const prepared = cached ?? database.prepare(hideValuesFromPlanner(sql));
    cache.set(sql, prepared);
    const [oldest] = cache.keys();
    if (cache.size > STATEMENT_CACHE_SIZE && oldest) cache.delete(oldest);
    return prepared;
  }

  return ({ sql, params, shape }) => {
    const prepared = prepare(sql);
    if (prepared.reader) return prepared.raw(shape === "arrays").all(...params);
    prepared.run(...params);
    return [];
  };
}

/**
 * Returns the statement with `+?` for each placeholder. To SQLite the unary plus is no operation, but its planner no
 * longer takes a bound value into account. With a plain `?` it does, in joins and for limits, and compiles the statement
 * again for each run, because better-sqlite3 clears the values (decision 098). There are no statistics of the tables, so
 * that the values could not change a plan.
 */
export function hideValuesFromPlanner(sql: string): string {
  return sql.replace(/'[^']*'|"[^"]*"|\?/g, (part) => (part === "?" ? "+?" : part));
}

function isUnique(error: unknown): boolean {
  const codes = ["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"];
  return causesOf(error).some((cause) => cause instanceof Database.SqliteError && codes.includes(cause.code));
}
