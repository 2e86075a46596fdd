import Database from "better-sqlite3";
import { StoreError } from "#app/db/errors.server.ts";
import { createIfMissing, requireWritable } from "#app/db/files/writable.server.ts";

/**
 * Takes the server lock of a SQLite file: an exclusive transaction that is never ended on the separate database
 * FILE.lock. The operating system releases it with the process, also after kill -9.
 * @throws StoreError "second server" if another process holds it, "not writable" if this process may not write there.
 */
export function acquireServerLock(file: string): { release(): void } {
  const lockFile = `${file}.lock`;
  requireWritable(lockFile);
  createIfMissing(lockFile);
  const lockDatabase = new Database(lockFile, { timeout: 0 });
  try {
    lockDatabase.pragma("locking_mode = EXCLUSIVE");
    lockDatabase.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lockDatabase.close();
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) throw secondServer(file);
    throw error;
  }
  return { release: () => lockDatabase.close() };
}

function secondServer(file: string): StoreError {
  return new StoreError(
    "second server",
    `Another server is running on ${file}. One SQLite file serves one process; stop that one first.`,
  );
}
