import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { StoreError } from "#app/db/errors.server.ts";

/** Offset of the write version in a SQLite file: 2 with a WAL, 1 without (file format, section 1.3). */
const WRITE_VERSION_AT = 18;
const WITHOUT_WAL = 1;

/**
 * Rejects a WAL that belongs to another file: SQLite would write it into this one, which silently undoes a restore or
 * corrupts the file. Backups, and databases whose server was stopped, are marked as having no WAL, so a WAL beside them
 * is stale. Throws StoreError "stale wal".
 */
export function requireNoStaleWal(file: string): void {
  const wal = `${file}-wal`;
  if (sizeOf(wal) === 0) return;
  if (sizeOf(file) === 0) throw staleWalError(`${file} does not exist, but ${wal} does.`, [MOVED]);
  if (writeVersionOf(file) !== WITHOUT_WAL) return;
  const fix = `Move it away, together with ${file}-shm. Run: mv ${wal} ${wal}.old; mv ${file}-shm ${file}-shm.old`;
  throw staleWalError(`${wal} does not belong to ${file}: another file at this path left it.`, [fix]);
}

const MOVED = "Move the database back, or move its -wal and -shm files away too.";

function staleWalError(problem: string, fix: readonly string[]): StoreError {
  return new StoreError("stale wal", [problem, ...fix].join("\n"));
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

function writeVersionOf(file: string): number {
  const bytes = Buffer.alloc(WRITE_VERSION_AT + 1);
  const handle = openSync(file, "r");
  try {
    readSync(handle, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(handle);
  }
  return bytes[WRITE_VERSION_AT] ?? 0;
}
