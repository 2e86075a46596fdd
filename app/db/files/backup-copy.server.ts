import { createHash } from "node:crypto";
import { closeSync, createReadStream, openSync, rmSync, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import Database from "better-sqlite3";
import { z } from "zod";
import { syncPath } from "./companion-files.server.ts";
import { type DatabaseSummary, FileProblem, inspectDatabase } from "./inspect.server.ts";

/** Longest wait at the start of a copy for a server that is committing. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * `PRAGMA user_version` of a copy. It reveals that a database was restored from a copy; reconciliation resets it to 0.
 */
export const COPY_MARK = 1;

/**
 * Writes a consistent copy of a SQLite file to a new file of mode 0600, while others read and write. The copy is
 * checked, marked as a copy, without a WAL, and synced to the disk. Blocks the thread: not for servers.
 * @throws FileProblem if the copy is damaged. No file is left after an error.
 */
export function copyDatabase(from: string, to: string): DatabaseSummary {
  // VACUUM INTO accepts an empty file and keeps its mode.
  closeSync(openSync(to, "wx", 0o600));
  try {
    vacuumInto(from, to);
    const summary = verifyAndMarkCopy(to);
    syncPath(to);
    return summary;
  } catch (error) {
    for (const path of [to, `${to}-journal`, `${to}-wal`, `${to}-shm`]) rmSync(path, { force: true });
    throw error;
  }
}

/** Copies in one read transaction, which neither blocks writers nor is affected by them. */
function vacuumInto(from: string, to: string): void {
  const source = new Database(from, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    source.prepare("VACUUM INTO ?").run(to);
  } finally {
    source.close();
  }
}

/** Marks a database file that is not in use as a copy, and ends its WAL mode. Throws FileProblem. */
export function verifyAndMarkCopy(file: string): DatabaseSummary {
  const copy = new Database(file, { fileMustExist: true });
  try {
    copy.pragma("journal_mode = DELETE");
    const summary = inspectDatabase(copy);
    copy.pragma(`user_version = ${COPY_MARK}`);
    return summary;
  } catch (error) {
    throw error instanceof Database.SqliteError ? new FileProblem("damaged", error.message) : error;
  } finally {
    copy.close();
  }
}

/** Ends the WAL mode of a database file that is not in use, and syncs it to the disk. */
export function closeCopy(file: string): void {
  const copy = new Database(file, { fileMustExist: true });
  try {
    copy.pragma("journal_mode = DELETE");
  } finally {
    copy.close();
  }
  syncPath(file);
}

/** Returns the SHA-256 (hex) and the size in bytes of a file. */
export async function digestOf(file: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return { sha256: hash.digest("hex"), bytes: statSync(file).size };
}

/** The manifest of a copy, stored beside it as FILE.json. Times are ISO 8601 in UTC. */
export const manifestSchema = z.object({
  /** Version of the program that made the copy. */
  version: z.string(),
  /** The last migration. */
  schema: z.string(),
  madeAt: z.coerce.date(),
  /** Generation of the signing keys. */
  generation: z.int(),
  epoch: z.int(),
  counts: z.record(z.string(), z.int()),
  bytes: z.int(),
  sha256: z.string(),
  keyFingerprint: z.string(),
  issuer: z.string(),
  rpId: z.string(),
});

/** The manifest of a copy, validated. */
export type Manifest = z.output<typeof manifestSchema>;
