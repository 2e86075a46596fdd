import { existsSync, realpathSync } from "node:fs";
import Database from "better-sqlite3";
import {
  type BackgroundDriver,
  causesOf,
  type Driver,
  type DriverTransaction,
  type Statement,
} from "#app/db/driver.server.ts";
import { refuseStrangeWal } from "#app/db/files/stale-wal.server.ts";
import { requireWritable } from "#app/db/files/writable.server.ts";
import { backgroundDriver } from "./background.server.ts";
import { createGroupCommit, type GroupTransaction } from "./group-commit.server.ts";
import { openedFile } from "./opened-file.server.ts";
import { holdServerLock } from "./server-lock.server.ts";

/** More different statements than the program has; a list of values in a query makes one per length. */
const STATEMENT_CACHE_SIZE = 500;
/** How long opening waits for another process, which may be opening the same new file. */
const OPEN_TIMEOUT_MS = 5000;

/** Of every connection of the server. */
const PRAGMAS = ["foreign_keys = ON", "trusted_schema = OFF", "secure_delete = ON"];

/**
 * Opens a SQLite file, made when missing. `server: true` takes the place of the one server of this file, or throws
 * StoreError "second server". A -wal of another file beside it is refused ("strange wal"), and so is a file that this
 * process may not write ("not writable"). All statements share one
 * connection: each waits until an open transaction is over, and what is written at the same time is committed at once.
 */
export function openSqlite(file: string, { server }: { server: boolean }): Driver {
  // Looking at a file that this process has open would drop its locks when the look ends (POSIX).
  if (!openHere.has(pathOf(file))) refuseStrangeWal(file);
  requireWritable(file);
  const lock = server ? holdServerLock(file) : null;
  try {
    const database = openDatabase(file);
    return driverOf(database, { file, server, release: noteOpen(file, () => lock?.release()) });
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** The files that this process has open, and how often. */
const openHere = new Map<string, number>();

function noteOpen(file: string, release: () => void): () => void {
  const path = pathOf(file);
  openHere.set(path, (openHere.get(path) ?? 0) + 1);
  return () => {
    const left = (openHere.get(path) ?? 1) - 1;
    if (left === 0) openHere.delete(path);
    else openHere.set(path, left);
    release();
  };
}

/** One name for a file, however it is spelled. */
function pathOf(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}

type Opened = { file: string; server: boolean; release: () => void };

function driverOf(database: Database.Database, { file, server, release }: Opened): Driver {
  const run = statementRunner(database);
  const inBackground = new Set<BackgroundDriver>();
  const shared = createGroupCommit(database);
  const opened = openedFile(file);

  return {
    dialect: "sqlite",
    run(statement) {
      opened.requireSame();
      return shared[kindOf(statement)](() => run(statement));
    },
    async begin() {
      opened.requireSame();
      return transactionOf(await shared.begin(), run);
    },
    withDeferredDurability: shared.withDeferredDurability,
    isUnique,
    requireSameFile: opened.look,
    background() {
      // It opens the path once more, and must not find another file there.
      opened.look();
      const parts = { file, pragmas: PRAGMAS, alone: shared.alone, isUnique, requireSameFile: opened.look };
      const driver = backgroundDriver(parts);
      inBackground.add(driver);
      return { ...driver, close: () => driver.close().finally(() => inBackground.delete(driver)) };
    },
    async close() {
      if (!database.open) return;
      // A -wal that somebody has open stays where it is.
      await Promise.all([...inBackground].map((driver) => driver.close()));
      await shared.alone(() => {
        if (server) endWal(database);
        database.close();
      });
      release();
    },
  };
}

/**
 * Takes the -wal into the file, and writes into the file that it has none: should one lie beside it later, it belongs to
 * another file (left-over-wal.server.ts). Where a command still has the file open, or the disk is full, the -wal stays,
 * and nothing is lost.
 */
function endWal(database: Database.Database): void {
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
    run: (statement) => transaction.run(() => run(statement)),
    // The transaction is the only writer of the file already.
    lock: async () => {},
    commit: transaction.commit,
    rollback: async () => transaction.rollback(),
  };
}

function openDatabase(file: string): Database.Database {
  const database = new Database(file, { timeout: OPEN_TIMEOUT_MS });
  database.pragma("journal_mode = WAL");
  // This build of SQLite falls back to NORMAL in WAL mode, and a power loss could bring a spent token back.
  database.pragma("synchronous = FULL");
  for (const pragma of PRAGMAS) database.pragma(pragma);
  // From here on `retryWhileBusy` waits: SQLite's own waiting would stop the whole process.
  database.pragma("busy_timeout = 0");
  return database;
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

function isUnique(error: unknown): boolean {
  const codes = ["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"];
  return causesOf(error).some((cause) => cause instanceof Database.SqliteError && codes.includes(cause.code));
}
