import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";

/** Longest wait for another process that writes, and the pause between two attempts. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_RETRY_MS = 10;

/**
 * Runs `work`, and retries for up to 5 s while another process writes to the file; the event loop is free in between.
 */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += BUSY_RETRY_MS) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= BUSY_TIMEOUT_MS) throw error;
    }
    await pause(BUSY_RETRY_MS);
  }
}

/** Returns true if SQLite failed because another process holds the file. */
function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}
