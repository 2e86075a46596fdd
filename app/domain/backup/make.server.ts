import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { StoreError } from "#app/db/errors.server.ts";
import { copyDatabase, digestOf, type Manifest } from "#app/db/files/backup-copy.server.ts";
import { BACKUP_NAME_PREFIX, backupNameAt } from "#app/db/files/backup-folder.server.ts";
import { syncPath, writeAtomically } from "#app/db/files/companion-files.server.ts";
import { FileProblem } from "#app/db/files/inspect.server.ts";
import { removeTemporaryFiles, temporaryName } from "#app/db/files/temporary-files.server.ts";
import type { Clock } from "#app/ports.ts";

/** A finished copy; its manifest is also stored beside it as FILE.json. */
export type Backup = { file: string; manifest: Manifest };

/** Dependencies of a backup. `version`: program version for the manifest. */
export type BackupDeps = { clock: Clock; version: string };

/**
 * Copies a SQLite database, which may be in use, to `to`. The copy is written to a temporary file (mode 0600, suffix
 * `.part`), checked, synced and renamed; the next backup removes a temporary file that a crash left.
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
  // Left by an earlier process with the same PID.
  rmSync(temporaryFile, { force: true });
  const { migrations, counts, instance } = copyDatabase(from, temporaryFile);
  const manifest: Manifest = {
    version,
    schema: migrations.at(-1) ?? "",
    madeAt,
    generation: instance?.keysGeneration ?? 0,
    epoch: instance?.epoch ?? 0,
    counts,
    ...(await digestOf(temporaryFile)),
    keyFingerprint: instance?.keyFingerprint ?? "",
    issuer: instance?.issuer ?? "",
    rpId: instance?.rpId ?? "",
  };
  renameSync(temporaryFile, to);
  syncPath(dirname(to));
  writeAtomically(`${to}.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  return { file: to, manifest };
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
    mkdirSync(folder, { mode: 0o700 });
    return;
  }
  throw new FileProblem("missing", `Folder ${folder} does not exist. Mount the disk, or run: mkdir -m 700 ${folder}`);
}

function requireSource(from: string, to: string): void {
  if (!existsSync(from)) throw new FileProblem("missing", `Database file ${from} does not exist yet.`);
  if (resolve(from) === resolve(to)) throw new FileProblem("foreign", "The backup file must not be the database file.");
  if (existsSync(to)) throw new FileProblem("foreign", `File ${to} already exists.`);
}
