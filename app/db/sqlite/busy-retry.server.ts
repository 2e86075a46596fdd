import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";

/** How long a statement waits for another process that writes, and how long between two tries. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_RETRY_MS = 10;

/**
 * Does the work, and tries again while another process writes to the file; meanwhile this one goes on with other work.
 */
export function retryWhileBusy<T>(work: () => T | Promise<T>): T | Promise<T> {
  try {
    return work();
  } catch (error) {
    if (!isBusy(error)) throw error;
    return tryAgain(work);
  }
}

async function tryAgain<T>(work: () => T | Promise<T>): Promise<T> {
  for (let waitedMs = 0; waitedMs < BUSY_TIMEOUT_MS; waitedMs += BUSY_RETRY_MS) {
    await pause(BUSY_RETRY_MS);
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }
  return work();
}

/** Whether SQLite refused because another process holds the file. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}
