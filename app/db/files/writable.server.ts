import { accessSync, chmodSync, closeSync, constants, existsSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "#app/config/config.ts";
import { StoreError } from "#app/db/errors.server.ts";
import { companionFilesOf } from "./companion-files.server.ts";
import { createFolder, openOrCreate } from "./new-file.server.ts";

const { R_OK, W_OK, X_OK } = constants;

const WRITE_BY_OTHERS = 0o022;

/** Returns the existing files that a server writes beside its SQLite database, that one first. */
export function serviceFilesOf(file: string): string[] {
  const { epoch, audit } = companionFilesOf(file);
  return [file, `${file}-wal`, `${file}-shm`, `${file}.lock`, epoch, audit].filter((path) => existsSync(path));
}

/**
 * Makes the database file private and checks that this process may write it, the files beside it and their folder. The
 * database may be missing; a new folder gets mode 0700. Throws StoreError "not writable".
 */
export function requireWritable(file: string): void {
  requireRegularFile(file);
  explained(file, () => {
    createFolder(dirname(file));
    for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) chmodSync(path, 0o600);
  });
  requireServiceFiles(file);
}

/** Throws StoreError "not writable" for a folder or a device, whose mode must not be changed. */
function requireRegularFile(file: string): void {
  const found = statsOf(file);
  if (found === undefined || found.isFile()) return;
  const [kind, example] = found.isDirectory() ? ["folder", join(file, "gatehouse.sqlite")] : ["device", "PATH"];
  const problem = `${file} is a ${kind}, not the file of a database. Nothing was changed.`;
  throw new StoreError("not writable", `${problem}\nName a file, for example in DATABASE_URL: sqlite:${example}`);
}

/** Throws StoreError "not writable" if this process may not write one of the service's files or their folder. */
export function requireServiceFiles(file: string): void {
  const folder = dirname(existsSync(file) ? realpathSync(file) : file);
  requireAccess(folder, R_OK | W_OK | X_OK);
  for (const path of serviceFilesOf(file)) requireAccess(path, R_OK | W_OK);
}

/** Throws StoreError "not writable" if the folder exists and this process may not create files in it. */
export function requireWritableFolder(folder: string): void {
  if (existsSync(folder)) requireAccess(folder, W_OK | X_OK);
}

/** Returns the uid of the service: the owner of the folder of its database, or of the database in a folder of root. */
export function serviceUserOf(file: string): number {
  return statSync(dirname(file)).uid || statSync(file).uid;
}

/** Returns whether the service can create files in an existing folder. Root, who can everywhere, compares the owner. */
export function isWritableForService(folder: string, database: Config["database"]): boolean {
  const { uid, mode } = statSync(folder);
  if (process.getuid?.() === 0 && database.dialect === "sqlite") {
    return uid === serviceUserOf(database.file) || (mode & WRITE_BY_OTHERS) !== 0;
  }
  try {
    requireWritableFolder(folder);
    return true;
  } catch {
    return false;
  }
}

/** Creates the database file, empty, if it is missing; SQLite gives the WAL and SHM files the same mode and owner. */
export function createIfMissing(file: string): void {
  // Only a new file is opened: closing a second descriptor of an open database would drop its locks (POSIX).
  if (!existsSync(file)) explained(file, () => closeSync(openOrCreate(file)));
}

function requireAccess(path: string, mode: number): void {
  explained(path, () => accessSync(path, mode));
}

function explained(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw notWritable(path, error) ?? error;
  }
}

/** Converts a permission error to a StoreError with a fix; null for other errors. */
function notWritable(at: string, error: unknown): StoreError | null {
  if (!(error instanceof Error && "code" in error)) return null;
  const path = "path" in error ? String(error.path) : at;
  const fix = fixFor(error.code, path);
  if (fix === null) return null;
  const problem = `Gatehouse (uid ${process.getuid?.()}) cannot write ${path} (${error.code}).`;
  return new StoreError("not writable", [problem, fix].join("\n"));
}

function fixFor(code: unknown, path: string): string | null {
  switch (code) {
    case "EROFS":
      return "The file system is read-only. Linux remounts a file system read-only after an error: see dmesg, then run: mount -o remount,rw MOUNT-POINT";
    case "EACCES":
    case "EPERM":
      return fixOfRights(path);
    default:
      return null;
  }
}

/** The folder shows which user the service runs as; another user must not take its files. */
function fixOfRights(path: string): string {
  const uid = process.getuid?.();
  const [file, folder] = [statsOf(path), statsOf(dirname(path))];
  if (file?.uid === uid) return `Run: chmod u+rw${file?.isDirectory() ? "x" : ""} ${path}`;
  if (folder?.uid === uid) return `It belongs to uid ${file?.uid}. Run as root: chown ${uid}:${folder?.gid} ${path}`;
  return `The folder and its files must belong to the user of the service. Run the command as that user or as root, or change their owner (see: ls -la ${dirname(path)}).`;
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // A folder above it may not be searched.
    return undefined;
  }
}
