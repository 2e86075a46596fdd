import { and, eq, isNull, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { DefaultFactor, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { IS_MFA_REQUIRED_OF_USER } from "./group-members.server.ts";
import { withoutFactors } from "./has-factor.server.ts";

/** Second factors of a user. `passkeys` are no `securityKeys`. `recoveryCodesLeft`: unused recovery codes. */
export type FactorCounts = { totp: number; securityKeys: number; passkeys: number; recoveryCodesLeft: number };

const userId = sql.placeholder("userId");

function counts({ q, t: { totpCredentials, webauthnCredentials, recoveryCodes } }: Store) {
  const ofUser = eq(webauthnCredentials.userId, userId);
  return {
    totp: q.$count(totpCredentials, eq(totpCredentials.userId, userId)),
    securityKeys: q.$count(webauthnCredentials, and(ofUser, eq(webauthnCredentials.isPasskey, false))),
    passkeys: q.$count(webauthnCredentials, and(ofUser, eq(webauthnCredentials.isPasskey, true))),
    recoveryCodesLeft: q.$count(recoveryCodes, and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt))),
  };
}

const ofUserStatement = prepared((store) =>
  store.q.select(counts(store)).from(store.t.users).where(eq(store.t.users.id, userId)).prepare(),
);

const withUserStatement = prepared((store) =>
  store.q
    .select({ user: store.t.users, isMfaRequiredOfUser: IS_MFA_REQUIRED_OF_USER, ...counts(store) })
    .from(store.t.users)
    .where(eq(store.t.users.id, userId))
    .prepare(),
);

/** Counts the user's second factors in one statement; all zero for a user who does not exist. */
export async function countFactors(store: Store, userId: string): Promise<FactorCounts> {
  const [counts] = await ofUserStatement(store).execute({ userId });
  return counts ?? { totp: 0, securityKeys: 0, passkeys: 0, recoveryCodesLeft: 0 };
}

/** A user with the second factors. `isMfaRequiredOfUser`: a group or the role requires one. */
type UserWithFactors = { user: User; factors: FactorCounts; isMfaRequiredOfUser: boolean };

/** Returns the user with this id, whatever the status, and the second factors, in one statement. */
export async function findUserWithFactors(store: Store, userId: string): Promise<UserWithFactors | null> {
  if (cannotBeStored(userId)) return null;
  const [found] = await withUserStatement(store).execute({ userId });
  if (!found) return null;
  const { user, isMfaRequiredOfUser, ...factors } = found;
  return { user, factors, isMfaRequiredOfUser };
}

/** Stores the second factor that is asked for first at sign-in; null: none. */
export async function setDefaultFactor(store: Store, userId: string, factor: DefaultFactor | null): Promise<void> {
  const { users } = store.t;
  await store.q.update(users).set({ defaultFactor: factor }).where(eq(users.id, userId));
}

/** Removes the choice of this factor as the default; the choice of another one stays. */
export async function clearDefaultFactor(store: Store, userId: string, factor: DefaultFactor): Promise<void> {
  const { users } = store.t;
  await store.q
    .update(users)
    .set({ defaultFactor: null })
    .where(and(eq(users.id, userId), eq(users.defaultFactor, factor)));
}

/** Removes every second factor, the choice of a default and all recovery codes of the user. */
export async function removeFactors(store: Store, userId: string): Promise<void> {
  const { totpCredentials, webauthnCredentials, recoveryCodes } = store.t;
  await withoutFactors(store, userId, async () => {
    await store.q.delete(totpCredentials).where(eq(totpCredentials.userId, userId));
    await store.q.delete(webauthnCredentials).where(eq(webauthnCredentials.userId, userId));
  });
  await store.q.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  await setDefaultFactor(store, userId, null);
}
