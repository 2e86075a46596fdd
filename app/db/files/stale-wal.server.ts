import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { StoreError } from "#app/db/errors.server.ts";

/** Where a SQLite file says how it is written: 2 for a file with a -wal, 1 for one that has none (file format, 1.3). */
const WRITE_VERSION_AT = 18;
const WITHOUT_WAL = 1;

/**
 * Refuses a -wal that was left behind by another file: SQLite would write it over this one, which undoes a restore
 * without a word, or ruins the file. Our copies, and every file whose server was stopped, say that they have no -wal; so
 * one that lies beside them is not theirs. Throws StoreError "strange wal".
 */
export function refuseStrangeWal(file: string): void {
  const wal = `${file}-wal`;
  if (sizeOf(wal) === 0) return;
  if (sizeOf(file) === 0) throw strangeWal(`${file} is not there, but ${wal} is.`, [MOVED]);
  if (writeVersionOf(file) !== WITHOUT_WAL) return;
  const mend = `Move it away, together with ${file}-shm: mv ${wal} ${wal}.old; mv ${file}-shm ${file}-shm.old`;
  throw strangeWal(`${wal} does not belong to ${file}: it was left behind by another file in this place.`, [mend]);
}

const MOVED = "Was one moved without the other? Put the database back, or move the -wal and -shm away as well.";

function strangeWal(what: string, mend: readonly string[]): StoreError {
  return new StoreError("strange wal", [what, ...mend].join("\n"));
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
