import { findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Provider } from "./providers.ts";
import type { Upstream } from "./upstream.ts";

/** What a person can sign in with beside one provider; their password before other providers. */
export type WayLeft = "password" | "other provider" | "none";

/** What is left to this user once the account at the provider is disconnected. Only providers that are offered count. */
export async function findWayLeft(
  { store, upstream }: { store: Store; upstream: Pick<Upstream, "providers"> },
  userId: string,
  provider: Provider,
): Promise<WayLeft> {
  const user = await findUser(store, userId);
  if (user && user.passwordHash !== null) return "password";
  const connected = await findExternalAccountsOfUser(store, userId);
  const others = connected.filter((account) => account.provider !== provider);
  return others.some((account) => upstream.providers.includes(account.provider)) ? "other provider" : "none";
}
