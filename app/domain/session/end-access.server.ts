import { removeRecordsOfAccount } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Engine models with which clients access an account. */
const MODELS_OF_ACCESS = ["Grant", "AuthorizationCode", "AccessToken", "RefreshToken"];

/**
 * Removes all grants, codes and tokens of a user, but no sessions. The caller raises the user's generation in the same
 * transaction, which voids the sessions except those it moves.
 */
export async function endAccess({ store }: { store: Store }, userId: string): Promise<void> {
  await removeRecordsOfAccount(store, userId, MODELS_OF_ACCESS);
}
