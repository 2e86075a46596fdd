import { removeRecordsOfAccount } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { queueLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import type { Clock } from "#app/ports.ts";

/** Engine models with which clients access an account. */
const MODELS_OF_ACCESS = ["Grant", "AuthorizationCode", "AccessToken", "RefreshToken"];

/**
 * Removes all grants, codes and tokens of a user, but no sessions. The caller raises the user's generation in the same
 * transaction, which voids the sessions except those it moves.
 */
export async function endAccess({ store }: { store: Store }, userId: string): Promise<void> {
  await removeRecordsOfAccount(store, userId, MODELS_OF_ACCESS);
}

/** Engine models that belong to an account. */
const MODELS_OF_ACCOUNT = ["Session", "Grant", "AuthorizationCode", "AccessToken", "RefreshToken"];

/**
 * Removes all sessions, grants, codes and tokens of a user, and queues the back-channel logouts of the sessions. Call
 * it in the transaction that raises the user's generation, which voids everything else.
 */
export async function endSessions({ store, clock }: { store: Store; clock: Clock }, userId: string): Promise<void> {
  await queueLogouts({ store, now: clock.now() }, userId);
  await removeRecordsOfAccount(store, userId, MODELS_OF_ACCOUNT);
}
