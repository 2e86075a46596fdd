import { countFactors, findUserWithFactors } from "#app/db/repositories/factors.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** The second factors of a person. `recoveryCodesLeft`: those not used yet. */
export type Factors = { totp: boolean; securityKeys: number; recoveryCodesLeft: number };

/** What the person has, in one statement. A flagged security key counts: else a copied key would open the account. */
export async function findFactors(store: Store, userId: string): Promise<Factors> {
  const counts = await countFactors(store, userId);
  return { ...counts, totp: counts.totp > 0 };
}

/** The person with this id, whatever the status, and what they have, in one statement; null for nobody. */
export async function findPersonWithFactors(
  store: Store,
  userId: string,
): Promise<{ user: User; factors: Factors } | null> {
  const found = await findUserWithFactors(store, userId);
  return found && { user: found.user, factors: { ...found.factors, totp: found.factors.totp > 0 } };
}

/** Whether a second step is possible, and so asked for. Recovery codes alone stand in for a factor, and are none. */
export function hasFactor({ totp, securityKeys }: Factors): boolean {
  return totp || securityKeys > 0;
}
