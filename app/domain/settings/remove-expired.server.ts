import { removeExpiredManageChains } from "#app/db/repositories/manage-chains.server.ts";
import { removeExpiredManageSessions } from "#app/db/repositories/manage-sessions.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import type { SettingsDeps } from "./grant.server.ts";

/**
 * Removes expired page sessions and chains in small batches. Idle ones stay until they expire: a page's chain must not
 * start again while its page session could be alive.
 */
export async function removeExpiredSettings({ store, clock }: SettingsDeps): Promise<void> {
  const before = clock.now();
  await inBatches(store, (part, batchSize) => removeExpiredManageChains(part, { before, batchSize }));
  await inBatches(store, (part, batchSize) => removeExpiredManageSessions(part, { before, batchSize }));
}
