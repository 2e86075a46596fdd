import { existsSync } from "node:fs";
import { isBesideDatabase } from "#app/db/files/backup.server.ts";
import { findNewestBackupTime } from "#app/db/files/backup-folder.server.ts";
import { isWritableForService } from "#app/db/files/writable.server.ts";
import { backupAgeSeconds, isBackupRecent } from "#app/domain/backup/age.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { findRestoreReport } from "#app/restore/reconcile.server.ts";
import { countAffectedUsers } from "#app/restore/report.ts";
import {
  type CheckResult,
  type DatabaseCheck,
  failed,
  ok,
  skipped,
  unwritableFolder,
  warning,
} from "./check.server.ts";

type Context = Parameters<DatabaseCheck["run"]>[0];

/** Checks of the backups and of the last restore. */
export const BACKUP_CHECKS: readonly DatabaseCheck[] = [
  { name: "backup", run: checkBackup },
  { name: "backup folder", run: checkBackupFolder },
  { name: "last restore", run: checkLastRestore },
];

async function checkBackup(context: Context): Promise<CheckResult> {
  const seconds = await backupAgeSeconds(context);
  if (seconds === null) return skipped("PostgreSQL is backed up with pg_dump");
  const fix = "Run gatehouse backup. A running server makes a backup each night; if it did not, see its log.";
  if (findNewestBackupTime(context.config.backupDir) === null) {
    const missing = `there is no backup in ${context.config.backupDir}`;
    // A new database has no nightly backup yet.
    return (await isBackupRecent(context)) ? warning(missing, fix) : failed(missing, fix);
  }
  const found = `the newest backup is ${Math.floor(seconds / HOUR_SECONDS)} hours old`;
  if (await isBackupRecent(context)) return ok(found);
  return failed(found, fix);
}

function checkBackupFolder({ config }: Context): CheckResult {
  const { database, backupDir } = config;
  if (database.dialect !== "sqlite") return skipped("PostgreSQL is backed up with pg_dump");
  if (!existsSync(backupDir)) {
    if (isBesideDatabase(database.file, backupDir)) return ok(`${backupDir} will be created`);
    return failed(`${backupDir} does not exist`, `Mount the disk, or run: mkdir -m 700 ${backupDir} (BACKUP_DIR)`);
  }
  return isWritableForService(backupDir, database) ? ok(backupDir) : unwritableFolder(backupDir);
}

async function checkLastRestore({ store }: Context): Promise<CheckResult> {
  const report = await findRestoreReport(store);
  if (!report) return skipped("no restored database was put into service");
  const count = countAffectedUsers(report);
  const found = `a restored database was put into service on ${report.at.toISOString().slice(0, 10)}`;
  if (count === 0) return ok(`${found}; no action is needed`);
  const names = [...report.blocked, ...report.mustSetPassword, ...report.needRecoveryCodes].map(
    ({ username }) => username,
  );
  return warning(
    `${found}; ${count} users are affected: ${[...new Set(names)].join(", ")}`,
    "Unblock users who may sign in (user unblock), and send links to users who must set a password (user link). See gatehouse restore --report.",
  );
}
