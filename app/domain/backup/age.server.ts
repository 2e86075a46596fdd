import type { Config } from "#app/config/config.ts";
import { findNewestBackupTime } from "#app/db/files/backup-folder.server.ts";
import { findInstance } from "#app/db/repositories/instance.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";

/** Two nights: a single failed backup is only reported by mail. */
const LATE_SECONDS = 50 * HOUR_SECONDS;

/** Dependencies of reading the backup age. */
type BackupAgeDeps = {
  config: Pick<Config, "database" | "backupDir">;
  store: Store;
  clock: Clock;
};

/**
 * Returns the seconds since the newest copy in BACKUP_DIR (not of the future), or since the creation of the database if
 * there is none. Null on PostgreSQL, which Gatehouse does not back up.
 */
export async function backupAgeSeconds({ config, store, clock }: BackupAgeDeps): Promise<number | null> {
  if (config.database.dialect !== "sqlite") return null;
  const since = findNewestBackupTime(config.backupDir, clock.now()) ?? (await findInstance(store))?.createdAt ?? null;
  return since === null ? 0 : Math.max(0, Math.round((clock.now().getTime() - since.getTime()) / 1000));
}

/** Returns true if `backupAgeSeconds` is at most 50 hours, or null. */
export async function isBackupRecent(context: BackupAgeDeps): Promise<boolean> {
  const seconds = await backupAgeSeconds(context);
  return seconds === null || seconds <= LATE_SECONDS;
}
