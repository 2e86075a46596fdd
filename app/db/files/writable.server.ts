import { accessSync, chmodSync, closeSync, constants, existsSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "#app/db/errors.server.ts";

const { R_OK, W_OK, X_OK } = constants;

/**
 * Makes the database file private (`makePrivate`) and checks that this process may write the file and its folder, where
 * SQLite keeps the WAL and SHM files. Throws StoreError "not writable".
 */
export function requireWritable(file: string): void {
  try {
    makePrivate(file);
    accessSync(file, R_OK | W_OK);
    accessSync(dirname(realpathSync(file)), R_OK | W_OK | X_OK);
  } catch (error) {
    throw notWritable(file, error) ?? error;
  }
}

/** Converts a permission error to a StoreError with a fix; null for other errors. */
function notWritable(file: string, error: unknown): StoreError | null {
  if (!(error instanceof Error && "code" in error)) return null;
  const fix = fixFor(error.code, file);
  if (fix === null) return null;
  const path = "path" in error ? String(error.path) : file;
  const message = `Gatehouse cannot write to its database: ${path} (${error.code}).`;
  return new StoreError("not writable", [message, fix].join("\n"));
}

function fixFor(code: unknown, file: string): string | null {
  switch (code) {
    case "EROFS":
      return "The file system is read-only. Linux remounts a file system read-only after an error: see dmesg, then run: mount -o remount,rw MOUNT-POINT";
    case "EACCES":
    case "EPERM":
      return `The file and its folder must be owned by and writable for uid ${process.getuid?.()}. Run: ls -ld ${dirname(file)} ${file}*`;
    default:
      return null;
  }
}

/**
 * Creates the database file, empty, if it is missing, and sets its mode to 0600; SQLite gives the WAL and SHM files the
 * same mode. A new folder gets 0700.
 */
function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Only a new file is opened: closing a second descriptor of an open database would drop its locks (POSIX).
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  for (const databaseFile of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(databaseFile)) chmodSync(databaseFile, 0o600);
}
