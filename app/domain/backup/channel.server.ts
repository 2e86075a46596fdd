import { channel } from "node:diagnostics_channel";

/** Name of the diagnostics channel. */
export const BACKUP_CHANNEL = "gatehouse:backup";

/** Result of a nightly backup. */
export type ToldBackup = { ok: boolean };

const told = channel(BACKUP_CHANNEL);

/** Publishes the result of a backup. */
export function tellBackup(outcome: ToldBackup): void {
  if (told.hasSubscribers) told.publish(outcome);
}
