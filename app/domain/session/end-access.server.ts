import { removeRecordsOfAccount } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** What an application holds of an account. */
const MODELS_OF_ACCESS = ["Grant", "AuthorizationCode", "AccessToken", "RefreshToken"];

/**
 * Removes every grant, code and token that the engine keeps of a user, but no session: the generation, which the same
 * transaction raises, voids those, and the page that is open in this browser stays the browser's own.
 */
export async function endAccess({ store }: { store: Store }, userId: string): Promise<void> {
  await removeRecordsOfAccount(store, userId, MODELS_OF_ACCESS);
}
