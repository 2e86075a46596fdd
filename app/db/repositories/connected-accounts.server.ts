import { asc, eq } from "drizzle-orm";
import type { Provider } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** An external account with which a user can sign in; `name` as the provider named it. */
export type ConnectedAccount = { id: string; provider: Provider; name: string | null };

/** The external accounts of a user: one of each provider at most. */
export async function listConnectedAccounts(store: Store, userId: string): Promise<ConnectedAccount[]> {
  const { externalAccounts } = store.t;
  return store.q
    .select({ id: externalAccounts.id, provider: externalAccounts.provider, name: externalAccounts.name })
    .from(externalAccounts)
    .where(eq(externalAccounts.userId, userId))
    .orderBy(asc(externalAccounts.provider));
}
