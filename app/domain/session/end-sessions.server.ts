import { removeRecordsOfAccount } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { queueLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import type { Clock } from "#app/ports.ts";

/** The engine's models that carry an account. */
const MODELS_OF_ACCOUNT = ["Session", "Grant", "AuthorizationCode", "AccessToken", "RefreshToken"];

/**
 * Removes every session, grant, code and token that the engine keeps of a user: opaque tokens are dead at once. Queues
 * the back-channel logouts of the sessions.
 * A part of a larger change: the same transaction raises the user's generation, as the repository does with each new
 * password and status, so that whatever else carries the old one is refused too.
 */
export async function endSessions({ store, clock }: { store: Store; clock: Clock }, userId: string): Promise<void> {
  await queueLogouts({ store, now: clock.now() }, userId);
  await removeRecordsOfAccount(store, userId, MODELS_OF_ACCOUNT);
}
