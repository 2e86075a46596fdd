import { removeRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { findFactors, hasFactor } from "#app/domain/second-factor/factors.server.ts";

/** Removes the recovery codes of a user without a second factor. Call it in a transaction. */
export async function removeOrphanedCodes(store: Store, userId: string): Promise<void> {
  if (!hasFactor(await findFactors(store, userId))) await removeRecoveryCodes(store, userId);
}
