import type { Config } from "#app/config/config.ts";
import { newestCopyAt } from "#app/db/files/backup-folder.server.ts";
import { findInstance } from "#app/db/repositories/instance.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/** Two nights: one that failed is told by mail, and is no reason to alarm everybody. */
const LATE_SECONDS = 50 * 60 * 60;

/** What the age of a backup is read from. */
export type BackupAgeDeps = {
  config: Pick<Config, "database" | "backupDir">;
  store: Store;
  clock: Clock;
};

/**
 * Seconds since the newest copy in BACKUP_DIR was made, or, where there is none yet, since the database was. Null on
 * PostgreSQL, whose backups are not ours.
 */
export async function backupAgeSeconds({ config, store, clock }: BackupAgeDeps): Promise<number | null> {
  if (config.database.dialect !== "sqlite") return null;
  const since = newestCopyAt(config.backupDir) ?? (await findInstance(store))?.createdAt ?? null;
  return since === null ? 0 : Math.max(0, Math.round((clock.now().getTime() - since.getTime()) / 1000));
}

/** Whether the last backup is not older than two nights. */
export async function isBackupRecent(context: BackupAgeDeps): Promise<boolean> {
  const seconds = await backupAgeSeconds(context);
  return seconds === null || seconds <= LATE_SECONDS;
}
