import { removeExpiredManageChains } from "#app/db/repositories/manage-chains.server.ts";
import { removeExpiredManageSessions } from "#app/db/repositories/manage-sessions.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import type { SettingsDeps } from "./grant.server.ts";

/**
 * Removes the page sessions and chains of the settings whose time is over, in small batches. Not those that were idle for
 * too long: while its page session could live, a page's chain must not begin anew.
 */
export async function removeExpiredSettings({ store, clock }: SettingsDeps): Promise<void> {
  const before = clock.now();
  await inBatches(store, (part, batchSize) => removeExpiredManageChains(part, { before, batchSize }));
  await inBatches(store, (part, batchSize) => removeExpiredManageSessions(part, { before, batchSize }));
}
