import { findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Provider } from "./providers.ts";
import type { Upstream } from "./upstream.ts";

/** A sign-in method that remains without one provider; a password takes precedence over other providers. */
export type RemainingMethod = "password" | "other provider" | "none";

/** Returns the sign-in method that remains if the provider is disconnected. Only configured providers count. */
export async function findRemainingMethod(
  { store, upstream }: { store: Store; upstream: Pick<Upstream, "providers"> },
  userId: string,
  provider: Provider,
): Promise<RemainingMethod> {
  const user = await findUser(store, userId);
  if (user && user.passwordHash !== null) return "password";
  const connected = await findExternalAccountsOfUser(store, userId);
  const others = connected.filter((account) => account.provider !== provider);
  return others.some((account) => upstream.providers.includes(account.provider)) ? "other provider" : "none";
}
