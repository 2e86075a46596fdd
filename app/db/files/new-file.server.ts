import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  fchownSync,
  mkdirSync,
  openSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a file with mode 0600 and opens it for reading and appending. If root creates it, it gets the owner of its
 * folder, because the service runs as another user. Throws EEXIST.
 */
export function createFile(path: string): number {
  const handle = openSync(path, "ax+", 0o600);
  giveToOwnerOf(dirname(path), (uid, gid) => fchownSync(handle, uid, gid));
  return handle;
}

/** Opens a file for reading and appending; creates it like `createFile` if it is missing. */
export function openOrCreate(path: string): number {
  try {
    return createFile(path);
  } catch (error) {
    if (!isExisting(error)) throw error;
    return openSync(path, "a+", 0o600);
  }
}

/** Copies a file to a new one with the mode and the owner of `createFile`. Throws EEXIST. */
export function copyToNewFile(from: string, to: string): void {
  closeSync(createFile(to));
  copyFileSync(from, to);
  // copyFile has set the mode of the source.
  chmodSync(to, 0o600);
}

/** Creates a folder and its parents with mode 0700, unless they exist; new ones get their owner like `createFile`. */
export function createFolder(path: string): void {
  if (existsSync(path)) return;
  createFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (isExisting(error)) return;
    throw error;
  }
  giveToOwnerOf(dirname(path), (uid, gid) => chownSync(path, uid, gid));
}

function giveToOwnerOf(folder: string, chown: (uid: number, gid: number) => void): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  try {
    if (uid !== 0) chown(uid, gid);
  } catch (error) {
    // Root in a container may lack CAP_CHOWN. The checks of the files name the wrong owner.
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
