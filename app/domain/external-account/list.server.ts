import type { Provider } from "#app/config/providers.ts";
import { findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** A connected account. `id`: id of our row; `name`: display name from the provider, if any. */
type ListedAccount = { id: string; name?: string };

/** Returns a user's connected accounts by provider. */
export async function listExternalAccounts(
  store: Store,
  userId: string,
): Promise<Partial<Record<Provider, ListedAccount>>> {
  const accounts = await findExternalAccountsOfUser(store, userId);
  return Object.fromEntries(
    accounts.map(({ provider, id, name }) => [provider, { id, ...(name === null ? {} : { name }) }]),
  );
}
