import { findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Provider } from "./providers.ts";

/** A connected account: `id` is ours, `name` what the provider calls it, if it does. */
export type ListedAccount = { id: string; name?: string };

/** A user's connected accounts by provider; none where none is connected. */
export async function listExternalAccounts(
  store: Store,
  userId: string,
): Promise<Partial<Record<Provider, ListedAccount>>> {
  const accounts = await findExternalAccountsOfUser(store, userId);
  return Object.fromEntries(
    accounts.map(({ provider, id, name }) => [provider, { id, ...(name === null ? {} : { name }) }]),
  );
}
