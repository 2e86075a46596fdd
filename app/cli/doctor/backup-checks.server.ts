import { existsSync } from "node:fs";
import { timeText } from "#app/cli/output/table.ts";
import { isBesideDatabase } from "#app/db/files/backup.server.ts";
import { findNewestBackupTime } from "#app/db/files/backup-folder.server.ts";
import { isWritableForService } from "#app/db/files/writable.server.ts";
import { getInstance } from "#app/db/repositories/instance.server.ts";
import { backupAgeSeconds, isBackupRecent } from "#app/domain/backup/age.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { findRestoreReport } from "#app/restore/reconcile.server.ts";
import type { RestoreReport } from "#app/restore/report.ts";
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
  if (findNewestBackupTime(context.config.backupDir, context.clock.now()) === null) {
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

async function checkLastRestore({ store, config }: Context): Promise<CheckResult> {
  const { uncheckedRestoreAt } = await getInstance(store);
  const report = await findRestoreReport(store);
  const at = report?.at ?? uncheckedRestoreAt;
  if (at === null) return skipped("no restored database was put into service");
  const found = `a restored database was put into service at ${timeText(at, config.timeZone)}`;
  const names = report === null ? [] : listAffectedNames(report);
  const affected = names.length === 0 ? "" : `; ${names.length} users are affected: ${names.join(", ")}`;
  if (uncheckedRestoreAt === null) return ok(`${found}; no action is needed`);
  const isOfReport = report?.isComplete === true && uncheckedRestoreAt.getTime() === report.at.getTime();
  if (!isOfReport) {
    return warning(
      `${found}; it is unknown what was changed after the backup${affected}`,
      report === null
        ? "Repeat what was changed after the dump, such as blocks, then run gatehouse restore --confirm."
        : "Check what is listed by gatehouse restore --report, then run gatehouse restore --confirm.",
    );
  }
  return warning(
    `${found}${affected}`,
    "Unblock users who may sign in (user unblock), and send links to users who must set a password (user link). See gatehouse restore --report. Then run gatehouse restore --confirm.",
  );
}

function listAffectedNames({ blocked, mustSetPassword, needRecoveryCodes, disconnected }: RestoreReport): string[] {
  const users = [...blocked, ...mustSetPassword, ...needRecoveryCodes, ...disconnected];
  return [...new Set(users.map(({ username }) => username))];
}
