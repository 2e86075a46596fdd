import { existsSync, linkSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { StoreError } from "#app/db/errors.server.ts";
import { syncPath } from "./companion-files.server.ts";
import { copyToNewFile } from "./new-file.server.ts";
import { requireNoStaleWal } from "./stale-wal.server.ts";

/** The WAL and SHM files, which belong to the database. */
const COMPANION_SUFFIXES = ["-wal", "-shm"] as const;
const SUFFIXES = ["", ...COMPANION_SUFFIXES] as const;

/** Undoes a swap. `formerPath`: path of the old database; null if there was none. */
type Swap = { formerPath: string | null; revert(): void };

/**
 * Replaces a SQLite database that no process has open. The old one moves to `formerPath`, a name that ends with the time,
 * with its WAL and SHM files.
 * The path is never empty: if the process dies in between, the old or the new database is there, at worst with a stale
 * WAL, which is detected (stale-wal.server.ts).
 */
export function swapDatabase(
  file: string,
  { replacement, formerPath }: { replacement: string; formerPath: string },
): Swap {
  const hasOld = existsSync(file);
  if (hasOld) removeHardLinks(file, { prefix: formerPath.replace(/[^-]*$/, "") });
  if (hasOld) checkpointWal(file);
  for (const suffix of SUFFIXES) linkOrCopy(`${file}${suffix}`, `${formerPath}${suffix}`);
  try {
    renameSync(replacement, file);
  } catch (error) {
    for (const suffix of SUFFIXES) rmSync(`${formerPath}${suffix}`, { force: true });
    throw error;
  }
  removeCompanions(file);
  syncPath(dirname(file));
  return {
    formerPath: hasOld ? formerPath : null,
    revert() {
      removeCompanions(file);
      if (!hasOld) rmSync(file, { force: true });
      for (const suffix of SUFFIXES)
        if (existsSync(`${formerPath}${suffix}`)) renameSync(`${formerPath}${suffix}`, `${file}${suffix}`);
      syncPath(dirname(file));
    },
  };
}

/** Removes the hard link that a swap leaves if it is interrupted before the replacement. */
function removeHardLinks(file: string, { prefix }: { prefix: string }): void {
  const { ino, dev } = statSync(file);
  const names = readdirSync(dirname(prefix)).map((name) => join(dirname(prefix), name));
  for (const path of names.filter((name) => name.startsWith(prefix))) {
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.ino !== ino || stats.dev !== dev) continue;
    for (const suffix of SUFFIXES) rmSync(`${path}${suffix}`, { force: true });
  }
}

/** Copies the WAL into the file. A stale WAL, and the WAL of a damaged file, stay as they are. */
function checkpointWal(file: string): void {
  try {
    requireNoStaleWal(file);
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
function linkOrCopy(file: string, formerPath: string): void {
  if (!existsSync(file)) return;
  try {
    linkSync(file, formerPath);
  } catch {
    rmSync(formerPath, { force: true });
    copyToNewFile(file, formerPath);
  }
}

function removeCompanions(file: string): void {
  for (const suffix of COMPANION_SUFFIXES) rmSync(`${file}${suffix}`, { force: true });
}
