import { countFactors, findUserWithFactors } from "#app/db/repositories/factors.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** The second factors of a user. `recoveryCodesLeft` counts unused codes. */
export type Factors = { totp: boolean; securityKeys: number; recoveryCodesLeft: number };

/** Returns the user's factors. Flagged security keys count: otherwise a copied key could disable the second factor. */
export async function findFactors(store: Store, userId: string): Promise<Factors> {
  const counts = await countFactors(store, userId);
  return { ...counts, totp: counts.totp > 0 };
}

/** A user with the factors. `isMfaRequiredByGroup`: the home group or a further group requires a second factor. */
export type UserAndFactors = { user: User; factors: Factors; isMfaRequiredByGroup: boolean };

/** Returns a user of any status with the factors, by one statement; null if the user does not exist. */
export async function findUserAndFactors(store: Store, userId: string): Promise<UserAndFactors | null> {
  const found = await findUserWithFactors(store, userId);
  return found && { ...found, factors: { ...found.factors, totp: found.factors.totp > 0 } };
}

/** Returns true if the user has a second factor. Recovery codes only replace a factor and do not count. */
export function hasFactor({ totp, securityKeys }: Factors): boolean {
  return totp || securityKeys > 0;
}
