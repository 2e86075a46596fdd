import { createHash } from "node:crypto";
import { closeSync, createReadStream, openSync, rmSync, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import Database from "better-sqlite3";
import { z } from "zod";
import { syncPath } from "./companion-files.server.ts";
import { type DatabaseSummary, FileProblem, inspectDatabase } from "./inspect.server.ts";

/** How long the beginning of a copy waits for a server that is just committing. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * What `PRAGMA user_version` says in a copy: it was taken out of service. The database it is put back as notices
 * (domain/restore), and says 0 again.
 */
export const COPY_MARK = 1;

/**
 * Writes a copy of a SQLite file, as it is at one moment, to a new file of mode 0600, while others read and write. The
 * copy is checked, marked, without a -wal, and on the disk. Runs in this thread: never in a server. Throws FileProblem
 * when the copy is not whole; then, and whenever it fails, no file is left.
 */
export function copyDatabase(from: string, to: string): DatabaseSummary {
  // VACUUM INTO takes an empty file, and leaves its mode alone.
  closeSync(openSync(to, "wx", 0o600));
  try {
    vacuumInto(from, to);
    const facts = markCopy(to);
    syncPath(to);
    return facts;
  } catch (error) {
    for (const part of [to, `${to}-journal`, `${to}-wal`, `${to}-shm`]) rmSync(part, { force: true });
    throw error;
  }
}

/** One read transaction from first to last: no writer disturbs it, and it disturbs none. */
function vacuumInto(from: string, to: string): void {
  const source = new Database(from, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    source.prepare("VACUUM INTO ?").run(to);
  } finally {
    source.close();
  }
}

/** Marks a file that no service uses as a copy, and makes it one that has no -wal. Throws FileProblem. */
export function markCopy(file: string): DatabaseSummary {
  const copy = new Database(file, { fileMustExist: true });
  try {
    copy.pragma("journal_mode = DELETE");
    const facts = inspectDatabase(copy);
    copy.pragma(`user_version = ${COPY_MARK}`);
    return facts;
  } catch (error) {
    throw error instanceof Database.SqliteError ? new FileProblem("damaged", error.message) : error;
  } finally {
    copy.close();
  }
}

/** Makes a file that no service uses one that has no -wal, and waits until it is on the disk. */
export function closeCopy(file: string): void {
  const copy = new Database(file, { fileMustExist: true });
  try {
    copy.pragma("journal_mode = DELETE");
  } finally {
    copy.close();
  }
  syncPath(file);
}

/** SHA-256 of a file, in hex, and its size in bytes. */
export async function digestOf(file: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return { sha256: hash.digest("hex"), bytes: statSync(file).size };
}

/** What lies beside a copy as FILE.json. Times are ISO 8601 in UTC. */
export const manifestSchema = z.object({
  /** Of the program that made the copy. */
  version: z.string(),
  /** The last step of the schema. */
  schema: z.string(),
  madeAt: z.coerce.date(),
  /** Of the signing keys. */
  generation: z.int(),
  epoch: z.int(),
  counts: z.record(z.string(), z.int()),
  bytes: z.int(),
  sha256: z.string(),
  keyFingerprint: z.string(),
  issuer: z.string(),
  rpId: z.string(),
});

export type Manifest = z.output<typeof manifestSchema>;
