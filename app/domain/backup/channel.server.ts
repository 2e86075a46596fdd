import { channel } from "node:diagnostics_channel";

/** Name of the diagnostics channel. */
export const BACKUP_CHANNEL = "gatehouse:backup";

/** Result of a nightly backup. */
export type BackupResult = { ok: boolean };

const backupChannel = channel(BACKUP_CHANNEL);

/** Publishes the result of a backup. */
export function publishBackup(outcome: BackupResult): void {
  if (backupChannel.hasSubscribers) backupChannel.publish(outcome);
}
