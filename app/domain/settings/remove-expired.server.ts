import { removeExpiredManageChains } from "#app/db/repositories/manage-chains.server.ts";
import { removeExpiredManageSessions } from "#app/db/repositories/manage-sessions.server.ts";
import type { SettingsParts } from "./grant.server.ts";

/** Rows removed by one statement: few, because it holds the only writer of a SQLite file. */
const BATCH = 50;

/**
 * Removes the page sessions and chains of the settings whose time is over, in small batches. Not those that were idle for
 * too long: while its page session could live, a page's chain must not begin anew.
 */
export async function removeExpiredSettings({ store, clock }: SettingsParts): Promise<void> {
  const batch = { before: clock.now(), batchSize: BATCH };
  while ((await removeExpiredManageChains(store, batch)) === BATCH);
  while ((await removeExpiredManageSessions(store, batch)) === BATCH);
}
