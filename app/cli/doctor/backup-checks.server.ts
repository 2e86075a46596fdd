import { accessSync, constants, existsSync } from "node:fs";

import { newestCopyAt } from "#app/db/files/backup-folder.server.ts";
import { readLogoutQueue } from "#app/domain/backchannel-logout/state.server.ts";
import { backupAgeSeconds, isBackupRecent } from "#app/domain/backup/age.server.ts";
import { isBesideDatabase } from "#app/domain/backup/make.server.ts";
import { findRestoreReport } from "#app/restore/reconcile.server.ts";
import { concernedIn } from "#app/restore/report.ts";
import { type CheckResult, type DatabaseCheck, failed, ok, skipped, warning } from "./check.server.ts";

const HOUR_SECONDS = 60 * 60;

type Context = Parameters<DatabaseCheck["run"]>[0];

/** The way back, and what became of the last one. */
export const UPKEEP_CHECKS: readonly DatabaseCheck[] = [
  { name: "backup", run: checkBackup },
  { name: "backup folder", run: checkBackupFolder },
  { name: "last restore", run: checkRestore },
  { name: "back-channel logouts", run: checkLogouts },
];

/** A running server sends within seconds and tries four times in the first hour. */
const LOGOUT_WAIT_SECONDS = HOUR_SECONDS;

async function checkBackup(context: Context): Promise<CheckResult> {
  const seconds = await backupAgeSeconds(context);
  if (seconds === null) return skipped("PostgreSQL's backups are not ours (pg_dump)");
  const fix = "Run: gatehouse backup. A running server makes one each night; its log says why not.";
  if (newestCopyAt(context.config.backupDir) === null) {
    const missing = `there is no backup in ${context.config.backupDir}`;
    // A database of today has not seen a night yet.
    return (await isBackupRecent(context)) ? warning(missing, fix) : failed(missing, fix);
  }
  const found = `the newest is ${Math.floor(seconds / HOUR_SECONDS)} hours old`;
  if (await isBackupRecent(context)) return ok(found);
  return failed(found, fix);
}

async function checkLogouts(context: Context): Promise<CheckResult> {
  const { waiting, oldestSeconds, failed: failures } = await readLogoutQueue(context);
  const found = `${waiting} wait, the oldest for ${Math.floor(oldestSeconds / 60)} minutes; ${failures} failed within a day`;
  if (failures === 0 && oldestSeconds <= LOGOUT_WAIT_SECONDS) return ok(found);
  return warning(
    found,
    "Applications were not told that sessions have ended. The log names client and reason: backchannel-logout.postponed, backchannel-logout.failed.",
  );
}

function checkBackupFolder({ config }: Context): CheckResult {
  const { database, backupDir } = config;
  if (database.dialect !== "sqlite") return skipped("PostgreSQL's backups are not ours (pg_dump)");
  if (!existsSync(backupDir)) {
    if (isBesideDatabase(database.file, backupDir)) return ok(`${backupDir} will be made`);
    return failed(`${backupDir} does not exist`, `Mount the disk, or run: mkdir -m 700 ${backupDir} (BACKUP_DIR)`);
  }
  try {
    accessSync(backupDir, constants.W_OK);
    return ok(backupDir);
  } catch {
    return failed(
      `${backupDir} cannot be written to`,
      "Give the user of the service the right to write there (BACKUP_DIR).",
    );
  }
}

async function checkRestore({ store }: Context): Promise<CheckResult> {
  const report = await findRestoreReport(store);
  if (!report) return skipped("no older database came into service");
  const count = concernedIn(report);
  const found = `on ${report.at.toISOString().slice(0, 10)} an older database came into service`;
  if (count === 0) return ok(`${found}; nobody has to do anything`);
  const names = [...report.blocked, ...report.mustSetPassword, ...report.needRecoveryCodes].map(
    ({ username }) => username,
  );
  return warning(
    `${found}; ${count} people are concerned: ${[...new Set(names)].join(", ")}`,
    "Unblock who is to be let in (user unblock), send links to those who must set a password (user link).",
  );
}
