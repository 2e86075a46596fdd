import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes the file of a database, empty, when it is missing, and takes the rights of all but its owner away; SQLite gives
 * the same mode to the companions it makes. A new folder is its owner's alone too.
 */
export function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Only a new file is opened here: closing a second handle to a database in use would drop its locks (POSIX).
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  for (const part of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(part)) chmodSync(part, 0o600);
}
