import { channel } from "node:diagnostics_channel";

/** The channel's name, for whoever listens. */
export const BACKUP_CHANNEL = "gatehouse:backup";

/** How one of the server's own backups ended. */
export type ToldBackup = { ok: boolean };

const told = channel(BACKUP_CHANNEL);

/** Tells whoever listens how a backup ended. Costs nothing while nobody does. */
export function tellBackup(outcome: ToldBackup): void {
  if (told.hasSubscribers) told.publish(outcome);
}
