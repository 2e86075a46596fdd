import { accessSync, constants, statfsSync } from "node:fs";

/** A Linux file system in memory. */
const MEMORY = "/dev/shm";
const MIN_BYTES = 1024 ** 3;

/**
 * Returns a folder in memory, where databases of tests need not wait for a disk; null if the system has no such folder,
 * or a small one as in some containers.
 */
export function memoryFolder(): string | null {
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MIN_BYTES ? MEMORY : null;
  } catch {
    return null;
  }
}
