import { removeRecordsOfAccount } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** The engine's models that carry an account. */
const MODELS_OF_ACCOUNT = ["Session", "Grant", "AuthorizationCode", "AccessToken", "RefreshToken"];

/**
 * Removes every session, grant, code and token that the engine keeps of a user: opaque tokens are dead at once.
 * A part of a larger change: the same transaction raises the user's generation, as the repository does with each new
 * password and status, so that whatever else carries the old one is refused too.
 */
export async function endSessions({ store }: { store: Store }, userId: string): Promise<void> {
  await removeRecordsOfAccount(store, userId, MODELS_OF_ACCOUNT);
}
