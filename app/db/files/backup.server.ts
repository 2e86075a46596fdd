import { createHash } from "node:crypto";
import { closeSync, createReadStream, createWriteStream, existsSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import Database from "better-sqlite3";
import { z } from "zod";
import { StoreError } from "#app/db/errors.server.ts";
import type { Clock } from "#app/ports.ts";
import { auditFileOfBackup, BACKUP_NAME_PREFIX, backupNameAt } from "./backup-folder.server.ts";
import { companionFilesOf, syncPath, writeAtomically } from "./companion-files.server.ts";
import { type DatabaseSummary, FileProblem, inspectDatabase } from "./inspect.server.ts";
import { createFile, createFolder } from "./new-file.server.ts";
import { removeTemporaryFiles, temporaryName } from "./temporary-files.server.ts";

/** Longest wait at the start of a copy for a server that is committing. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * `PRAGMA user_version` of a copy. It reveals that a database was restored from a copy; reconciliation resets it to 0.
 */
export const COPY_MARK = 1;

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

/**
 * A finished copy; its manifest is also stored beside it as FILE.json. `audit`: path of the copy of `audit.jsonl`; null
 * if the database has none.
 */
export type Backup = { file: string; audit: string | null; manifest: Manifest };

/** Dependencies of a backup. `version`: program version for the manifest. */
type BackupDeps = { clock: Clock; version: string };

/**
 * Copies a SQLite database, which may be in use, to `to`, and `audit.jsonl` beside it. Each copy is written to a temporary
 * file in the target folder (mode 0600, suffix `.part`), checked, synced and renamed, so that the target can be on another
 * file system; the next backup removes a temporary file that a crash left.
 * Throws FileProblem if the database is missing or damaged, `to` exists, or its folder does not: if a disk is not
 * mounted, a new folder would be on the system disk. Only the folder `backups` beside the database is created.
 */
export async function makeBackup(
  { clock, version }: BackupDeps,
  { from, to }: { from: string; to: string },
): Promise<Backup> {
  requireSource(from, to);
  requireFolder(from, dirname(resolve(to)));
  const madeAt = clock.now();
  // Before the copy, which may need their disk space.
  removeTemporaryFiles(dirname(to), { prefixes: [`${basename(to)}.`, BACKUP_NAME_PREFIX], now: madeAt });
  const temporaryFile = temporaryName(to);
  const temporaryAudit = temporaryName(auditFileOfBackup(to));
  // Left by an earlier process with the same PID.
  const removeTemporary = () => {
    for (const path of [temporaryFile, temporaryAudit]) rmSync(path, { force: true });
  };
  removeTemporary();
  try {
    const summary = copyDatabase(from, temporaryFile);
    const manifest = manifestOf(summary, { version, madeAt, digest: await digestOf(temporaryFile) });
    // After the database, so that the file has at least the events of the copy.
    const hasAudit = await copyAuditFile(from, temporaryAudit);
    renameSync(temporaryFile, to);
    if (hasAudit) renameSync(temporaryAudit, auditFileOfBackup(to));
    syncPath(dirname(to));
    writeAtomically(`${to}.json`, `${JSON.stringify(manifest, null, 2)}\n`);
    return { file: to, audit: hasAudit ? auditFileOfBackup(to) : null, manifest };
  } catch (error) {
    removeTemporary();
    throw error;
  }
}

function manifestOf(
  { migrations, counts, instance }: DatabaseSummary,
  { version, madeAt, digest }: { version: string; madeAt: Date; digest: Pick<Manifest, "sha256" | "bytes"> },
): Manifest {
  return {
    version,
    schema: migrations.at(-1) ?? "",
    madeAt,
    generation: instance?.keysGeneration ?? 0,
    epoch: instance?.epoch ?? 0,
    counts,
    ...digest,
    keyFingerprint: instance?.keyFingerprint ?? "",
    issuer: instance?.issuer ?? "",
    rpId: instance?.rpId ?? "",
  };
}

/** Copies the audit file beside a database, durably; returns false if there is none. */
async function copyAuditFile(from: string, to: string): Promise<boolean> {
  const { audit } = companionFilesOf(from);
  if (!existsSync(audit)) return false;
  // By a stream, because copyFile() sets the mode of the source, which FAT refuses.
  await pipeline(createReadStream(audit), createWriteStream(to, { fd: createFile(to), flush: true }));
  return true;
}

/**
 * Copies the database into the backup folder before a migration. Throws StoreError "no backup" on failure, so that the
 * migration does not run without a backup.
 */
export async function copyBeforeMigration(
  context: BackupDeps,
  { from, folder, migration }: { from: string; folder: string; migration: string },
): Promise<void> {
  const to = join(folder, backupNameAt(context.clock.now(), `before-${migration}`));
  // Made by another process that started at the same moment.
  if (existsSync(to)) return;
  try {
    await makeBackup(context, { from, to });
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    throw new StoreError(
      "no backup",
      `The database must be migrated, but the backup before it failed: ${reason}\n` +
        `Nothing was changed. Check the permissions and the free space of ${folder} (BACKUP_DIR).`,
    );
  }
}

/** Returns true if the folder is the default BACKUP_DIR, which is on the same disk as the database. */
export function isBesideDatabase(database: string, folder: string): boolean {
  return resolve(folder) === join(dirname(resolve(database)), "backups");
}

function requireFolder(database: string, folder: string): void {
  if (existsSync(folder)) return;
  if (isBesideDatabase(database, folder)) {
    createFolder(folder);
    return;
  }
  throw new FileProblem("missing", `Folder ${folder} does not exist. Mount the disk, or run: mkdir -m 700 ${folder}`);
}

function requireSource(from: string, to: string): void {
  if (!existsSync(from)) throw new FileProblem("missing", `Database file ${from} does not exist yet.`);
  if (resolve(from) === resolve(to)) throw new FileProblem("foreign", "The backup file must not be the database file.");
  if (existsSync(to)) throw new FileProblem("foreign", `File ${to} already exists.`);
}

/**
 * Writes a consistent copy of a SQLite file to a new file of mode 0600, while others read and write. The copy is
 * checked, marked as a copy, without a WAL, and synced to the disk. Blocks the thread: not for servers.
 * @throws FileProblem if the copy is damaged. No file is left after an error.
 */
export function copyDatabase(from: string, to: string): DatabaseSummary {
  // VACUUM INTO accepts an empty file and keeps its mode.
  closeSync(createFile(to));
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
