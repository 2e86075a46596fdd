import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { readEvents, readLastEvent } from "#app/db/files/audit-file.server.ts";
import { auditFileOfBackup, listBackups } from "#app/db/files/backup-folder.server.ts";
import { companionFilesOf, syncPath } from "#app/db/files/companion-files.server.ts";
import { readEpochFile, writeEpochFile } from "#app/db/files/epoch-file.server.ts";
import { copyToNewFile } from "#app/db/files/new-file.server.ts";
import { temporaryName } from "#app/db/files/temporary-files.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";

/**
 * The audit file from which the changes since a backup are read. `isComplete`: no change can be missing in it, because
 * it is the file of the server that ran last.
 */
export type AuditSource = { path: string; isComplete: boolean };

/** Returns the audit file beside the database at `file`. It is complete if this folder was in service before. */
export function ownAuditSource(file: string): AuditSource {
  const epochFile = readEpochFile(file);
  return { path: companionFilesOf(file).audit, isComplete: epochFile !== null && !epochFile.auditIncomplete };
}

/**
 * Returns the newest copy of an audit file in the folder of the backup `from`, if it is newer than the audit file beside
 * the database at `file` and than the backup, whose last event `last` it must contain. Otherwise null.
 */
export async function findNewerAuditCopy(
  { from, file }: { from: string; file: string },
  last: AuditEvent | null,
): Promise<string | null> {
  const backups = [from, ...listBackups(dirname(from)).map((backup) => backup.file)];
  const own = timeOf(companionFilesOf(file).audit);
  const copies = [...new Set(backups)]
    .map((backup) => auditFileOfBackup(backup))
    .filter((path) => timeOf(path) > own)
    .sort((one, other) => timeOf(other) - timeOf(one));
  for (const path of copies) if (last !== null && (await containsEvent(path, last.hash))) return path;
  return null;
}

/** Returns the time of the last event of an audit file in milliseconds; -Infinity if it has none. */
function timeOf(path: string): number {
  return readLastEvent(path)?.at.getTime() ?? Number.NEGATIVE_INFINITY;
}

/** Returns true if an audit file contains the event with this hash. */
export async function containsEvent(path: string, hash: string): Promise<boolean> {
  for await (const event of readEvents(path)) if (event.hash === hash) return true;
  return false;
}

/**
 * Puts a copy of an audit file beside the database at `file`; the former one gets a name that ends with `time`. The epoch
 * file is marked before, so that a crash cannot make the copy count as complete. Returns a function that puts the former
 * audit file back.
 */
export function adoptAuditCopy(file: string, { copy, time }: { copy: string; time: string }): () => void {
  const { audit } = companionFilesOf(file);
  const aside = `${audit}.before-restore-${time}`;
  const hasOwn = existsSync(audit);
  const temporaryFile = temporaryName(audit);
  rmSync(temporaryFile, { force: true });
  copyToNewFile(copy, temporaryFile);
  syncPath(temporaryFile);
  const epochFile = readEpochFile(file);
  if (epochFile !== null) writeEpochFile(file, { ...epochFile, auditIncomplete: true });
  if (hasOwn) renameSync(audit, aside);
  renameSync(temporaryFile, audit);
  syncPath(dirname(audit));
  return () => (hasOwn ? renameSync(aside, audit) : rmSync(audit, { force: true }));
}
