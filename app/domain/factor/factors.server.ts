import type { Config } from "#app/config/config.ts";
import { countFactors, findUserWithFactors } from "#app/db/repositories/factors.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/**
 * The second factors of a user. `passkeys`: those registered, even while PASSKEYS is off; they are no `securityKeys`.
 * `recoveryCodesLeft` counts unused codes.
 */
export type Factors = { totp: boolean; securityKeys: number; passkeys: number; recoveryCodesLeft: number };

/** Returns the user's factors. Flagged security keys count: otherwise a copied key could disable the second factor. */
export async function findFactors(store: Store, userId: string): Promise<Factors> {
  const counts = await countFactors(store, userId);
  return { ...counts, totp: counts.totp > 0 };
}

/** A user with the factors. `isMfaRequiredOfUser`: a group or the role requires a second factor. */
export type UserAndFactors = { user: User; factors: Factors; isMfaRequiredOfUser: boolean };

/** Returns a user of any status with the factors, by one statement; null if the user does not exist. */
export async function findUserAndFactors(store: Store, userId: string): Promise<UserAndFactors | null> {
  const found = await findUserWithFactors(store, userId);
  return found && { ...found, factors: { ...found.factors, totp: found.factors.totp > 0 } };
}

/**
 * Returns true if the user has a second factor that every sign-in with a password asks for. Recovery codes only replace
 * a factor and do not count. Passkeys do not count either: the password stays an equal sign-in method beside them, for
 * a user without the device (docs/decisions/100-sign-in-by-passkey.md).
 */
export function hasFactor({ totp, securityKeys }: Factors): boolean {
  return totp || securityKeys > 0;
}

/**
 * Returns true if the user can give a second factor, passkeys included, so that no first one may be set up: otherwise a
 * stolen password would suffice to add one.
 */
export function canGiveFactor(factors: Factors, { passkeys }: Pick<Config, "passkeys">): boolean {
  return hasFactor(factors) || (passkeys && factors.passkeys > 0);
}

/** Returns the result of `canGiveFactor` for a user. */
export async function hasFactorToGive(
  { store, config }: { store: Store; config: Pick<Config, "passkeys"> },
  userId: string,
): Promise<boolean> {
  return canGiveFactor(await findFactors(store, userId), config);
}

/** Returns the factors without the passkeys if those are not accepted. */
export function withPasskeys(factors: Factors, areAccepted: boolean): Factors {
  return areAccepted ? factors : { ...factors, passkeys: 0 };
}

/** Returns the number of credentials that the second step accepts as a security key. */
export function countKeys({ securityKeys, passkeys }: Factors): number {
  return securityKeys + passkeys;
}
