import { copyFileSync, existsSync, linkSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { StoreError } from "#app/db/errors.server.ts";
import { syncPath } from "./companion-files.server.ts";
import { refuseStrangeWal } from "./stale-wal.server.ts";

/** The companions belong to a SQLite file as much as itself. */
const COMPANIONS = ["-wal", "-shm"] as const;
const PARTS = ["", ...COMPANIONS] as const;

/** What an exchange can be undone with. `aside`: where the old database lies; null when there was none. */
export type Exchange = { aside: string | null; revert(): void };

/**
 * Puts a file in the place of a SQLite database that nobody has open. The old one goes to `aside`, a name whose last part
 * is the time, with its companions.
 * At no moment the place is empty: a process that dies in between leaves the old database or the new one, and at worst a
 * -wal that is recognised as a stranger's (left-over-wal.server.ts).
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

/** An exchange that died before it took place has left a second name of the database. */
function removeOtherNames(file: string, { begin }: { begin: string }): void {
  const { ino, dev } = statSync(file);
  const names = readdirSync(dirname(begin)).map((name) => join(dirname(begin), name));
  for (const other of names.filter((name) => name.startsWith(begin))) {
    const found = lstatSync(other);
    if (!found.isFile() || found.ino !== ino || found.dev !== dev) continue;
    for (const part of PARTS) rmSync(`${other}${part}`, { force: true });
  }
}

/** Takes a -wal into the file. A file that is too broken for that keeps it, and so does one whose -wal is a stranger's. */
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

/** A second name for a file; where the file system has none, a copy. */
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
