import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates the database file, empty, if it is missing, and sets its mode to 0600; SQLite gives the WAL and SHM files the
 * same mode. A new folder gets 0700.
 */
export function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Only a new file is opened: closing a second descriptor of an open database would drop its locks (POSIX).
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  for (const part of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(part)) chmodSync(part, 0o600);
}
