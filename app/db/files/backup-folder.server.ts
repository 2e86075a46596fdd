import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A backup file. `migration`: the migration before which it was made; null for other backups. */
type BackupFile = { file: string; madeAt: Date; migration: string | null };

/** gatehouse-20260302T013000Z.sqlite; before a migration with a suffix. */
const NAME = /^gatehouse-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-before-([\w-]+))?\.sqlite$/;

/** Prefix of all backup file names. */
export const BACKUP_NAME_PREFIX = "gatehouse-";

/** Returns the name of a backup made at this time. `reason`: letters, digits, `_` and `-`. */
export function backupNameAt(moment: Date, reason?: string): string {
  const time = moment.toISOString().replace(/[-:]|\.\d+/g, "");
  return `${BACKUP_NAME_PREFIX}${time}${reason ? `-${reason}` : ""}.sqlite`;
}

/** Returns the path of the copy of `audit.jsonl` that is stored beside a backup. */
export function auditFileOfBackup(backup: string): string {
  return `${backup}.audit.jsonl`;
}

/** Returns the backups in this folder by their names, newest first; none if the folder cannot be read. */
export function listBackups(folder: string): BackupFile[] {
  return namesIn(folder)
    .flatMap((name) => {
      const [, year, month, day, hour, minute, second, migration = null] = NAME.exec(name) ?? [];
      if (year === undefined) return [];
      const madeAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      return [{ file: join(folder, name), madeAt, migration }];
    })
    .sort((one, other) => other.madeAt.getTime() - one.madeAt.getTime());
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The next backup reports the error.
    return [];
  }
}

/**
 * Returns the time of the newest backup in this folder; null without one. Backups of the future, which a clock that was
 * fast leaves, do not count.
 */
export function findNewestBackupTime(folder: string, now: Date): Date | null {
  return listBackups(folder).find(({ madeAt }) => madeAt <= now)?.madeAt ?? null;
}

/** Returns the newest backup in this folder that was made before this migration; null without one. */
export function findCopyBefore(folder: string, migration: string): string | null {
  return listBackups(folder).find((backup) => backup.migration === migration)?.file ?? null;
}

/**
 * Removes all backups but the newest `keep`, and but the newest one made before a migration, which a rollback needs.
 * Backups of the future, which a clock that was fast leaves, count as the oldest. Returns the removed files.
 */
export function removeOldBackups(folder: string, { keep, now }: { keep: number; now: Date }): string[] {
  const all = listBackups(folder);
  const backups = [...all.filter(({ madeAt }) => madeAt <= now), ...all.filter(({ madeAt }) => madeAt > now)];
  const beforeUpgrade = all.find(({ migration }) => migration !== null);
  const old = backups.slice(keep).filter((backup) => backup !== beforeUpgrade);
  for (const { file } of old) {
    rmSync(auditFileOfBackup(file), { force: true });
    rmSync(`${file}.json`, { force: true });
    rmSync(file, { force: true });
  }
  return old.map(({ file }) => file);
}
