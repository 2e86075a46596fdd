import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { causesOf, type Driver, type DriverTransaction, type Statement } from "./driver.server.ts";
import { createGate, type Gate } from "./gate.server.ts";
import { makePrivate } from "./private-file.server.ts";
import { holdServerLock } from "./server-lock.server.ts";

/** More different statements than the program has; a list of values in a query makes one per length. */
const STATEMENT_CACHE_SIZE = 500;
/** How long a statement waits for another process that writes, and how long between two tries. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_RETRY_MS = 10;

/**
 * Opens a SQLite file, made when missing. `server: true` takes the place of the one server of this file, or throws StoreError "second server".
 * All statements share one connection: each waits until an open transaction is over.
 */
export function openSqlite(file: string, { server }: { server: boolean }): Driver {
  // SQLite gives its two companions, FILE-wal and FILE-shm, the same mode.
  makePrivate(file);
  const lock = server ? holdServerLock(file) : null;
  const database = openDatabase(file);
  const run = statementRunner(database);
  const gate = createGate();

  return {
    dialect: "sqlite",
    run: (statement) => gate.pass(() => whenFree(() => run(statement))),
    begin: () => begin(database, run, gate),
    isUnique,
    async close() {
      database.close();
      lock?.release();
    },
  };
}

function openDatabase(file: string): Database.Database {
  const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  database.pragma("journal_mode = WAL");
  // This build of SQLite falls back to NORMAL in WAL mode, and a power loss could bring a spent token back.
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  database.pragma("trusted_schema = OFF");
  database.pragma("secure_delete = ON");
  // From here on `whenFree` waits: SQLite's own waiting would stop the whole process.
  database.pragma("busy_timeout = 0");
  return database;
}

/** Tries again, for BUSY_TIMEOUT_MS, while another process writes; meanwhile this one goes on with other work. */
async function whenFree<T>(work: () => T): Promise<T> {
  for (let waitedMs = 0; waitedMs < BUSY_TIMEOUT_MS; waitedMs += BUSY_RETRY_MS) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await pause(BUSY_RETRY_MS);
  }
  return work();
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

type Run = (statement: Statement) => unknown[];

function statementRunner(database: Database.Database): Run {
  const cache = new Map<string, Database.Statement>();

  function prepare(sql: string): Database.Statement {
    const known = cache.get(sql);
    // Put back at the end: the first entry is the one unused for longest.
    cache.delete(sql);
    const prepared = known ?? database.prepare(sql);
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

/** Holds the gate from BEGIN to COMMIT. IMMEDIATE: a transaction that reads first and writes later never fails half-way for being late. */
async function begin(database: Database.Database, run: Run, gate: Gate): Promise<DriverTransaction> {
  await gate.enter();
  try {
    await whenFree(() => database.exec("BEGIN IMMEDIATE"));
  } catch (error) {
    gate.leave();
    throw error;
  }
  return {
    run: async (statement) => run(statement),
    // The transaction is the only writer of the file already.
    lock: async () => {},
    async commit() {
      database.exec("COMMIT");
      gate.leave();
    },
    async rollback() {
      try {
        // A full disk makes SQLite roll back by itself.
        if (database.inTransaction) database.exec("ROLLBACK");
      } finally {
        gate.leave();
      }
    },
  };
}

function isUnique(error: unknown): boolean {
  const codes = ["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"];
  return causesOf(error).some((cause) => cause instanceof Database.SqliteError && codes.includes(cause.code));
}
