import { requireDatabaseFile } from "#app/cli/command-line.server.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Config } from "#app/config/config.ts";
import { findCopyBefore } from "#app/db/files/backup-folder.server.ts";
import { findNewerMigrations } from "#app/db/migrations.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { postgresRestoreLines } from "./postgres-backup.server.ts";

/**
 * Returns the newest copy that was made before the first migration which this version does not have; null if this version
 * can use the database as it is. Throws CommandError if there is no such copy, as always on PostgreSQL, or no SQLite
 * file.
 */
export async function findCopyBeforeUpgrade(config: Config): Promise<string | null> {
  requireDatabaseFile(config);
  const { database, backupDir } = config;
  const [migration] = await newerMigrationsOf(database);
  if (migration === undefined) return null;
  if (database.dialect !== "sqlite") {
    throw new CommandError(EXIT.refused, [
      `The database has migrations that this version does not have, from ${migration} on. Gatehouse makes no copies of a`,
      "PostgreSQL database: use the dump that you made before the upgrade.",
      ...postgresRestoreLines(database.url),
    ]);
  }
  const copy = findCopyBefore(backupDir, migration);
  if (copy !== null) return copy;
  throw new CommandError(EXIT.notFound, [
    `${backupDir} (BACKUP_DIR) contains no copy that was made before migration ${migration}.`,
    "If you have another backup of this version, run: gatehouse restore FILE",
  ]);
}

async function newerMigrationsOf(database: Config["database"]): Promise<string[]> {
  const store = await openStore(database);
  try {
    return (await findNewerMigrations(store)).names;
  } finally {
    await store.close();
  }
}
