import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "#app/config/config.ts";
import { closeCopy, digestOf, type Manifest, manifestSchema, verifyAndMarkCopy } from "#app/db/files/backup.server.ts";
import { syncPath } from "#app/db/files/companion-files.server.ts";
import { type DatabaseSummary, FileProblem, readLiveSummary } from "#app/db/files/inspect.server.ts";
import { copyToNewFile } from "#app/db/files/new-file.server.ts";
import { removeTemporaryFiles, temporaryName } from "#app/db/files/temporary-files.server.ts";
import { describeSchema, migrateStore } from "#app/db/migrations.server.ts";
import { findLastAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import type { Clock } from "#app/ports.ts";
import { findNewerAuditCopy, ownAuditSource } from "./audit-source.server.ts";
import { affectedBy, planReconciliation } from "./plan.server.ts";
import type { AffectedRecords } from "./report.ts";

/** A copy of the backup file beside the database, checked and synced, that is to become the database. */
export type StagedBackup = { path: string; summary: DatabaseSummary; manifest: Manifest | null; remove(): void };

/**
 * Copies the backup file, and its WAL if it has one, beside the database at `file`, and checks digest, pages, foreign
 * keys and origin. Only reads the backup file; removes temporary files of killed processes. Throws FileProblem and
 * leaves no copy then.
 */
export async function stageBackup(
  { clock }: { clock: Clock },
  { from, file }: { from: string; file: string },
): Promise<StagedBackup> {
  requireFile(from, file);
  const manifest = await readManifest(from);
  const folder = dirname(file);
  removeTemporaryFiles(folder, { prefixes: [`${STAGED_PREFIX}.`], now: clock.now() });
  const path = temporaryName(join(folder, STAGED_PREFIX));
  const remove = () => {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${suffix}`, { force: true });
  };
  remove();
  try {
    copyToNewFile(from, path);
    if (existsSync(`${from}-wal`)) copyToNewFile(`${from}-wal`, `${path}-wal`);
    const summary = verifyAndMarkCopy(path);
    syncPath(path);
    return { path, summary, manifest, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Prefix of the copy's name. */
const STAGED_PREFIX = "restoring";

const MAGIC = "SQLite format 3\0";

function requireFile(from: string, file: string): void {
  if (!existsSync(from) || !statSync(from).isFile()) throw new FileProblem("missing", `File ${from} does not exist.`);
  const { size, ino, dev } = statSync(from);
  if (size === 0) throw new FileProblem("empty", `${from} is empty.`);
  if (existsSync(file) && statSync(file).ino === ino && statSync(file).dev === dev) {
    throw new FileProblem("foreign", `${from} is the current database.`);
  }
  if (firstBytes(from, MAGIC.length).toString("latin1") !== MAGIC) {
    throw new FileProblem("foreign", `${from} is not a SQLite database.`);
  }
}

function firstBytes(path: string, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  const handle = openSync(path, "r");
  try {
    readSync(handle, bytes, 0, count, 0);
  } finally {
    closeSync(handle);
  }
  return bytes;
}

/** Reads FILE.json and compares its digest with the file's. Null without FILE.json. */
async function readManifest(from: string): Promise<Manifest | null> {
  const path = `${from}.json`;
  if (!existsSync(path)) return null;
  const manifest = parseManifest(path);
  const { sha256, bytes } = await digestOf(from);
  if (sha256 !== manifest.sha256) {
    throw new FileProblem(
      "damaged",
      `${from} (${bytes} bytes) does not match its manifest ${path}: the SHA-256 differs.`,
    );
  }
  return manifest;
}

function parseManifest(path: string): Manifest {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new FileProblem("damaged", `${path} cannot be read. Move it away to skip the comparison with the manifest.`);
  }
}

/** Reasons why an intact file cannot be restored. */
type CheckProblemCode = "newer schema" | "wrong key" | "other issuer" | "never in service";

/** A problem that prevents a restore; the message is written for the administrator. */
type CheckProblem = { code: CheckProblemCode; message: string };

/** Consequences of restoring a file. */
export type RestoreCheck = {
  manifest: Manifest | null;
  summary: DatabaseSummary;
  problems: CheckProblem[];
  /** Migrations that would be applied. */
  migrations: string[];
  /** Row counts that differ between the live database and the file. `live` is null if that one is unreadable. */
  counts: { table: string; live: number | null; file: number }[];
  /** Copy of `audit.jsonl` in the folder of the backup that a restore uses instead of the one beside the database. */
  auditCopy: string | null;
  /** Affected users and clients; null if the file cannot be restored. */
  concerned: AffectedRecords | null;
};

/** `from`: the backup file. */
type CheckInput = { config: Config; from: string; acceptIssuer: boolean; clock: Clock };

/** Returns the consequences of a restore and the problems that prevent it. May migrate the candidate. */
export async function checkBackup(
  { path, summary, manifest }: StagedBackup,
  { config, from, acceptIssuer }: CheckInput,
): Promise<RestoreCheck> {
  if (config.database.dialect !== "sqlite") throw new Error("only a SQLite file can be restored");
  const { file } = config.database;
  const { pending, unknown, known: migrationsOfProgram } = describeSchema("sqlite", summary.migrations);
  const problems = [...newerSchema(unknown, migrationsOfProgram), ...problemsOf(summary, { config, acceptIssuer })];
  const check = { manifest, summary, problems, migrations: pending, counts: compare(readLiveSummary(file), summary) };
  if (problems.length > 0) return { ...check, auditCopy: null, concerned: null };
  const store = await openStore({ dialect: "sqlite", file: path });
  try {
    await migrateStore(store);
    const auditCopy = await findNewerAuditCopy({ from, file }, await findLastAuditEvent(store));
    const source = auditCopy === null ? ownAuditSource(file) : { path: auditCopy, isComplete: false };
    return { ...check, auditCopy, concerned: affectedBy(await planReconciliation(store, source)) };
  } finally {
    await store.close();
    closeCopy(path);
  }
}

function newerSchema(unknown: readonly string[], migrationsOfProgram: readonly string[]): CheckProblem[] {
  if (unknown.length === 0) return [];
  const message =
    `The file was written by a newer version of Gatehouse (unknown migrations: ${unknown.join(", ")}). ` +
    `This version has ${migrationsOfProgram.length} migrations, up to ${migrationsOfProgram.at(-1)}.`;
  return [{ code: "newer schema", message }];
}

function problemsOf(
  { instance }: DatabaseSummary,
  { config: { secretKeys, issuer }, acceptIssuer }: Pick<CheckInput, "config" | "acceptIssuer">,
): CheckProblem[] {
  if (instance === null) {
    return [{ code: "never in service", message: "The file contains no data: no server has used it." }];
  }
  const problems: CheckProblem[] = [];
  const fingerprints = secretKeys.map((key) => createSecrets({ secretKeys: [key], epoch: 0 }).fingerprint);
  if (!fingerprints.includes(instance.keyFingerprint)) {
    const configured = fingerprints.join(", ");
    const message = `The file was encrypted with key ${instance.keyFingerprint}; SECRET_KEYS contains ${configured}.`;
    problems.push({ code: "wrong key", message });
  }
  if (instance.issuer !== issuer && !acceptIssuer) {
    const message = `The file belongs to issuer ${instance.issuer}, but ISSUER is ${issuer}.`;
    problems.push({ code: "other issuer", message });
  }
  return problems;
}

function compare(live: DatabaseSummary | null, file: DatabaseSummary): RestoreCheck["counts"] {
  return Object.entries(file.counts)
    .map(([table, count]) => ({ table, live: live?.counts[table] ?? null, file: count }))
    .filter((row) => row.live !== row.file);
}
