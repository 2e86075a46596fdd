import { copyFileSync, existsSync, linkSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { StoreError } from "#app/db/errors.server.ts";
import { syncPath } from "./companion-files.server.ts";
import { refuseStrangeWal } from "./stale-wal.server.ts";

/** The WAL and SHM files, which belong to the database. */
const COMPANIONS = ["-wal", "-shm"] as const;
const PARTS = ["", ...COMPANIONS] as const;

/** Undoes a swap. `aside`: path of the old database; null if there was none. */
export type Exchange = { aside: string | null; revert(): void };

/**
 * Replaces a SQLite database that no process has open. The old one moves to `aside`, a name that ends with the time,
 * with its WAL and SHM files.
 * The path is never empty: if the process dies in between, the old or the new database is there, at worst with a stale
 * WAL, which is detected (stale-wal.server.ts).
 */
export function exchangeDatabase(file: string, { by, aside }: { by: string; aside: string }): Exchange {
  const hasOld = existsSync(file);
  if (hasOld) removeOtherNames(file, { begin: aside.replace(/[^-]*$/, "") });
  if (hasOld) foldWal(file);
  for (const part of PARTS) keepAside(`${file}${part}`, `${aside}${part}`);
  try {
    renameSync(by, file);
  } catch (error) {
    for (const part of PARTS) rmSync(`${aside}${part}`, { force: true });
    throw error;
  }
  removeCompanions(file);
  syncPath(dirname(file));
  return {
    aside: hasOld ? aside : null,
    revert() {
      removeCompanions(file);
      if (!hasOld) rmSync(file, { force: true });
      for (const part of PARTS) if (existsSync(`${aside}${part}`)) renameSync(`${aside}${part}`, `${file}${part}`);
      syncPath(dirname(file));
    },
  };
}

/** Removes the hard link that a swap leaves if it is interrupted before the replacement. */
function removeOtherNames(file: string, { begin }: { begin: string }): void {
  const { ino, dev } = statSync(file);
  const names = readdirSync(dirname(begin)).map((name) => join(dirname(begin), name));
  for (const other of names.filter((name) => name.startsWith(begin))) {
    const found = lstatSync(other);
    if (!found.isFile() || found.ino !== ino || found.dev !== dev) continue;
    for (const part of PARTS) rmSync(`${other}${part}`, { force: true });
  }
}

/** Copies the WAL into the file. A stale WAL, and the WAL of a damaged file, stay as they are. */
function foldWal(file: string): void {
  try {
    refuseStrangeWal(file);
    const database = new Database(file, { timeout: 0 });
    try {
      database.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof Database.SqliteError || error instanceof StoreError)) throw error;
  }
}

/** Creates a hard link; copies the file if the file system has no hard links. */
function keepAside(file: string, aside: string): void {
  if (!existsSync(file)) return;
  try {
    linkSync(file, aside);
  } catch {
    copyFileSync(file, aside);
  }
}

function removeCompanions(file: string): void {
  for (const part of COMPANIONS) rmSync(`${file}${part}`, { force: true });
}
