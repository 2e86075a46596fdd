import { PROVIDER_NAMES, type Provider } from "#app/config/providers.ts";
import { findExternalAccountsOfUser, removeExternalAccount } from "#app/db/repositories/external-accounts.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Done, NotAllowed, SettingsAccess } from "#app/domain/access/access.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import { type ChangeDeps, changeAccount } from "#app/domain/account/change-account.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { Upstream } from "./upstream.ts";

/** Dependencies of `disconnectProvider`. */
type DisconnectDeps = ChangeDeps & { upstream: Pick<Upstream, "providers"> };

/** Result of `disconnectProvider`. Only "done" changes the account. */
export type Disconnection =
  | Done
  | NotAllowed
  | { kind: "account not connected" }
  /** The user has no password and no other account at a configured provider. */
  | { kind: "last sign-in method" };

/**
 * Disconnects the user's account at a provider, which ends all other access of the user as the removal of a second
 * factor does: an intruder may have connected the account and signed in with it. Keeps the session behind the settings.
 * Notifies the user by mail. Of two simultaneous calls for the last two sign-in methods, one is refused.
 */
export async function disconnectProvider(
  context: DisconnectDeps,
  access: SettingsAccess,
  metadata: RequestMetadata,
  provider: Provider,
): Promise<Disconnection> {
  const { userId } = access;
  const outcome = await changeAccount<Disconnection>(context, access, metadata, {
    apply: async (store) => {
      if (!(await removeExternalAccount(store, userId, provider))) return { kind: "account not connected" };
      const remaining = await findRemainingMethod({ store, upstream: context.upstream }, userId, provider);
      return remaining === "none" ? { kind: "last sign-in method" } : { kind: "done" };
    },
    template: { name: "provider-disconnected", provider: PROVIDER_NAMES[provider] },
    event: "provider.disconnected",
    reason: provider,
    others: "end",
  });
  if (outcome.kind === "last sign-in method") {
    const reason = `${provider}: last sign-in method`;
    await recordSettings(context, access, metadata, { type: "provider.refused", outcome: "refused", reason });
  }
  return outcome;
}

/** A sign-in method that remains without one provider; a password takes precedence over other providers. */
export type RemainingMethod = "password" | "other provider" | "none";

/** Returns the sign-in method that remains if the provider is disconnected. */
export async function findRemainingMethod(
  { store, upstream }: { store: Store; upstream: Pick<Upstream, "providers"> },
  userId: string,
  provider: Provider,
): Promise<RemainingMethod> {
  const user = await findUser(store, userId);
  if (user && user.passwordHash !== null) return "password";
  return (await hasOtherProvider(store, upstream, userId, provider)) ? "other provider" : "none";
}

/** Returns true if an account at a provider other than `except` is connected. Only configured providers count. */
async function hasOtherProvider(
  store: Store,
  upstream: Pick<Upstream, "providers">,
  userId: string,
  except: Provider,
): Promise<boolean> {
  const connected = await findExternalAccountsOfUser(store, userId);
  return connected.some(({ provider }) => provider !== except && upstream.providers.includes(provider));
}
