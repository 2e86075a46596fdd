import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The files that stand beside a SQLite database and are in no backup of it. */
export type CompanionFiles = { epoch: string; audit: string };

/**
 * Where the companions of a SQLite file are: `gatehouse.epoch` and `audit.jsonl` for a file called gatehouse; for any
 * other the names begin with the file's own, so that two databases in one folder keep apart.
 */
export function companionFilesOf(file: string): CompanionFiles {
  const name = basename(file).replace(/\.(sqlite3?|db)$/, "");
  const own = name === "gatehouse" ? "" : `${name}.`;
  return { epoch: join(dirname(file), `${name}.epoch`), audit: join(dirname(file), `${own}audit.jsonl`) };
}

/** Writes a file as a whole: whoever reads it, after a power loss too, finds the old content or the new one. Mode 0600. */
export function writeWhole(file: string, text: string): void {
  const part = `${file}.${process.pid}.part`;
  const handle = openSync(part, "w", 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(part, file);
  syncPath(dirname(file));
}

/** Waits until a file, or the names in a folder, are on the disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
