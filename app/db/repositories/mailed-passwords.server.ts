import { and, eq, exists, gte, isNull, lte, not, or, type SQL, sql } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/**
 * Returns when a mailed link set the user's password, if the user has not been shown that reset. Null without such a
 * reset, or if the user has not signed in since with a provider account connected before it.
 */
export async function findUnseenReset(store: Store, id: string): Promise<Date | null> {
  const { users } = store.t;
  const [user] = await store.q
    .select({ setAt: users.passwordSetAt })
    .from(users)
    .where(and(eq(users.id, id), eq(users.passwordResetUnseen, true), usesOlderAccount(store, id)));
  return user?.setAt ?? null;
}

/**
 * Records the first use of this password together with a second factor, and marks a reset of it as seen. Only for this
 * generation: a password that was set meanwhile is another one. While a reset is unseen and the user has an older
 * provider account, only a factor older than the reset counts: a newer one may belong to an attacker.
 */
export async function markPasswordProven(
  store: Store,
  id: string,
  { generation, at }: { generation: number; at: Date },
): Promise<void> {
  const { users } = store.t;
  const isTrusted = or(
    eq(users.passwordResetUnseen, false),
    hasOlderFactor(store, id),
    not(hasOlderAccount(store, id)),
  );
  await store.q
    .update(users)
    .set({ passwordProvenAt: at, passwordResetUnseen: false, passwordMailedAt: null })
    .where(and(eq(users.id, id), eq(users.generation, generation), isNull(users.passwordProvenAt), isTrusted));
}

/**
 * Marks a mailed password reset as seen, for a user of this generation who has signed in since with a provider account
 * connected before the reset. Returns false if nothing changed.
 */
export async function markPasswordResetSeen(
  store: Store,
  id: string,
  { generation }: { generation: number },
): Promise<boolean> {
  const { users } = store.t;
  const seen = await store.q
    .update(users)
    .set({ passwordResetUnseen: false, passwordMailedAt: null })
    .where(
      and(
        eq(users.id, id),
        eq(users.generation, generation),
        eq(users.passwordResetUnseen, true),
        usesOlderAccount(store, id),
      ),
    )
    .returning({ id: users.id });
  return seen.length === 1;
}

/** Matches a provider account that was connected before the reset and signed in since the password was set. */
export function usesOlderAccount(store: Store, userId: string): SQL {
  const { externalAccounts, users } = store.t;
  return hasOlderAccount(store, userId, gte(externalAccounts.lastUsedAt, users.passwordSetAt));
}

function hasOlderAccount(store: Store, userId: string, condition?: SQL): SQL {
  const { externalAccounts } = store.t;
  const isOlder = lte(externalAccounts.linkedAt, resetTime(store));
  return exists(
    store.q
      .select({ id: externalAccounts.id })
      .from(externalAccounts)
      .where(and(eq(externalAccounts.userId, userId), isOlder, condition)),
  );
}

/** Passkeys do not count: the password alone signs in beside them, so that a stranger may have added a factor. */
function hasOlderFactor(store: Store, userId: string): SQL | undefined {
  const { totpCredentials: app, webauthnCredentials: key } = store.t;
  const since = resetTime(store);
  const apps = store.q.select({ at: app.createdAt }).from(app);
  const keys = store.q.select({ at: key.createdAt }).from(key);
  return or(
    exists(apps.where(and(eq(app.userId, userId), lte(app.createdAt, since)))),
    exists(keys.where(and(eq(key.userId, userId), eq(key.isPasskey, false), lte(key.createdAt, since)))),
  );
}

/** Time of the first mailed reset that the user has not been shown, else the time when the password was set. */
export function resetTime({ t: { users } }: Store): SQL {
  return sql`coalesce(${users.passwordMailedAt}, ${users.passwordSetAt})`;
}
