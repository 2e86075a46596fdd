import { findExternalAccountsOfUser, removeExternalAccount } from "#app/db/repositories/external-accounts.server.ts";
import { lockGeneration } from "#app/db/repositories/user-generation.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { commitIf } from "#app/domain/commit-if.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { isFresh, type SettingsAccess } from "#app/domain/settings/access.ts";
import {
  type ChangeDeps,
  type Done,
  type NotAllowed,
  recordSettings,
} from "#app/domain/settings/change-account.server.ts";
import { findSettingsUser } from "#app/domain/settings/grant.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { PROVIDER_NAMES, type Provider } from "./providers.ts";
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
 * Disconnects the user's account at a provider and notifies the user by mail. Sessions are kept. Of two simultaneous
 * calls for the last two sign-in methods, one is refused.
 */
export async function disconnectProvider(
  context: DisconnectDeps,
  access: SettingsAccess,
  metadata: RequestMetadata,
  provider: Provider,
): Promise<Disconnection> {
  if (!isFresh(access, context.clock.now())) return { kind: "reauthentication_required" };
  const outcome = await commitIf<Disconnection>(context.store, isDone, async (store) => {
    const isLocked = await lockGeneration(store, access.userId, access.generation);
    const user = isLocked ? await findSettingsUser(store, access) : null;
    if (!user) return { kind: "unauthorized" };
    if (!(await removeExternalAccount(store, access.userId, provider))) return { kind: "account not connected" };
    if (user.passwordHash === null && !(await hasOtherProvider(store, context.upstream, user.id, provider))) {
      return { kind: "last sign-in method" };
    }
    const deps = { ...context, store };
    const template = { name: "provider-disconnected", provider: PROVIDER_NAMES[provider] } as const;
    await notifyUser(deps, access.userId, { template, from: metadata });
    await recordSettings(deps, access, metadata, { type: "provider.disconnected", outcome: "ok", reason: provider });
    return { kind: "done" };
  });
  if (outcome.kind === "last sign-in method") {
    const reason = `${provider}: last sign-in method`;
    await recordSettings(context, access, metadata, { type: "provider.refused", outcome: "refused", reason });
  }
  return outcome;
}

function isDone({ kind }: Disconnection): boolean {
  return kind === "done";
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
