import { setDefaultFactor } from "#app/db/repositories/factors.server.ts";
import { lockGeneration } from "#app/db/repositories/user-generation.server.ts";
import type { DefaultFactor } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import type { Done, SettingsAccess, Unauthorized } from "#app/domain/access/access.ts";
import { type Factors, findUserAndFactors } from "#app/domain/factor/factors.server.ts";

/** The factor that is asked for first at sign-in; `chosen` is null if the user chooses each time. */
type DefaultFactorChoice = { chosen: DefaultFactor | null };

/** Returns the user's choice; null for a user who has nothing to choose from. */
export async function findDefaultFactor(
  { store }: { store: Store },
  { userId }: Pick<SettingsAccess, "userId">,
): Promise<DefaultFactorChoice | null> {
  const found = await findUserAndFactors(store, userId);
  return found && hasBoth(found.factors) ? { chosen: found.user.defaultFactor } : null;
}

/**
 * Stores the factor that is asked for first at sign-in; null: the user chooses each time. "no choice" unless the user
 * has an authenticator app and a security key. Needs no recent proof of identity: every factor is accepted as before.
 */
export async function chooseDefaultFactor(
  { store }: { store: Store },
  { userId, generation }: Pick<SettingsAccess, "userId" | "generation">,
  factor: DefaultFactor | null,
): Promise<Done | Unauthorized | { kind: "no choice" }> {
  return store.tx<Done | Unauthorized | { kind: "no choice" }>(async (tx) => {
    // Waits for a concurrent removal of a factor, which changes the generation.
    if (!(await lockGeneration(tx, userId, generation))) return rollback({ kind: "unauthorized" });
    const found = await findUserAndFactors(tx, userId);
    if (!found || !hasBoth(found.factors)) return rollback({ kind: "no choice" });
    await setDefaultFactor(tx, userId, factor);
    return { kind: "done" };
  });
}

function hasBoth({ totp, securityKeys }: Factors): boolean {
  return totp && securityKeys > 0;
}
