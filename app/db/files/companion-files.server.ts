import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createFile } from "./new-file.server.ts";

/** Files beside a SQLite database that are not part of its backups. */
type CompanionFiles = { epoch: string; audit: string };

/**
 * Returns the companion files of a SQLite file: `gatehouse.epoch` and `audit.jsonl` for gatehouse.sqlite. For other
 * files the names begin with the file's name, so that two databases can share a folder.
 */
export function companionFilesOf(file: string): CompanionFiles {
  const name = basename(file).replace(/\.(sqlite3?|db)$/, "");
  const prefix = name === "gatehouse" ? "" : `${name}.`;
  return { epoch: join(dirname(file), `${name}.epoch`), audit: join(dirname(file), `${prefix}audit.jsonl`) };
}

/** Writes a file atomically and durably. */
export function writeAtomically(file: string, text: string, mode = 0o600): void {
  const temporaryFile = `${file}.${process.pid}.part`;
  // Left by an earlier process with the same PID.
  rmSync(temporaryFile, { force: true });
  const handle = createFile(temporaryFile);
  try {
    writeSync(handle, text);
    fchmodSync(handle, mode);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporaryFile, file);
  syncPath(dirname(file));
}

/** Waits until a file, or the entries of a folder, are on the disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
