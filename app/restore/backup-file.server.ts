import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { digestOf, type Manifest, manifestSchema, verifyAndMarkCopy } from "#app/db/files/backup-copy.server.ts";
import { syncPath } from "#app/db/files/companion-files.server.ts";
import { type DatabaseSummary, FileProblem } from "#app/db/files/inspect.server.ts";
import { removeTemporaryFiles, temporaryName } from "#app/db/files/temporary-files.server.ts";
import type { Clock } from "#app/ports.ts";

/** A copy of the backup file beside the database, checked and synced, that is to become the database. */
export type StagedBackup = { path: string; facts: DatabaseSummary; manifest: Manifest | null; remove(): void };

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
    copyFileSync(from, path);
    chmodSync(path, 0o600);
    if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${path}-wal`);
    const facts = verifyAndMarkCopy(path);
    syncPath(path);
    return { path, facts, manifest, remove };
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
  if (existsSync(file) && statSync(file).ino === ino && statSync(file).dev === dev)
    throw new FileProblem("foreign", `${from} is the current database.`);
  if (firstBytes(from, MAGIC.length).toString("latin1") !== MAGIC)
    throw new FileProblem("foreign", `${from} is not a SQLite database.`);
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
  if (sha256 !== manifest.sha256)
    throw new FileProblem(
      "damaged",
      `${from} (${bytes} bytes) does not match its manifest ${path}: the SHA-256 differs.`,
    );
  return manifest;
}

function parseManifest(path: string): Manifest {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new FileProblem("damaged", `${path} cannot be read. Move it away to skip the comparison with the manifest.`);
  }
}
