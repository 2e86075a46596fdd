import { aliasedTable, and, eq, ne } from "drizzle-orm";
import type { Provider } from "#app/config/providers.ts";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { ExternalAccount, NewExternalAccount, UserStatus } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Identifies a user at a provider. */
type IdentityKey = { provider: Provider; issuer: string; subject: string };

/** An account that an external identity is linked to, with the fields that the account selection shows. */
export type LinkedAccount = {
  id: string;
  userId: string;
  displayName: string;
  username: string;
  groupName: string | null;
  status: UserStatus;
  lastUsedAt: Date | null;
};

/** Returns all accounts of this identity, including blocked ones, unordered; at most one per group. */
export async function findAccountsOfIdentity(
  store: Store,
  { provider, issuer, subject }: IdentityKey,
): Promise<LinkedAccount[]> {
  if (cannotBeStored(subject)) return [];
  const { externalAccounts, users, groups } = store.t;
  return store.q
    .select({
      id: externalAccounts.id,
      userId: users.id,
      displayName: users.displayName,
      username: users.username,
      groupName: groups.name,
      status: users.status,
      lastUsedAt: externalAccounts.lastUsedAt,
    })
    .from(externalAccounts)
    .innerJoin(users, eq(users.id, externalAccounts.userId))
    .leftJoin(groups, eq(groups.id, users.groupId))
    .where(
      and(
        eq(externalAccounts.provider, provider),
        eq(externalAccounts.issuer, issuer),
        eq(externalAccounts.subject, subject),
      ),
    );
}

/** Returns the external accounts of a user; at most one per provider. */
export async function findExternalAccountsOfUser(store: Store, userId: string): Promise<ExternalAccount[]> {
  const { externalAccounts } = store.t;
  return store.q.select().from(externalAccounts).where(eq(externalAccounts.userId, userId));
}

/**
 * Links an identity to a user. Returns false and changes nothing if the user has an account of this provider, or the
 * identity is linked to another account of the same group.
 */
export async function addExternalAccount(store: Store, account: NewExternalAccount): Promise<boolean> {
  const { externalAccounts } = store.t;
  const rows = await store.q
    .insert(externalAccounts)
    .values(account)
    .onConflictDoNothing()
    .returning({ id: externalAccounts.id });
  return rows.length > 0;
}

/** Records a sign-in with the identity, and its current name. Returns false if it is not linked to this user. */
export async function recordExternalSignIn(
  store: Store,
  { provider, issuer, subject }: IdentityKey,
  signIn: { userId: string; name: string | null; now: Date },
): Promise<boolean> {
  const { externalAccounts } = store.t;
  const rows = await store.q
    .update(externalAccounts)
    .set({ lastUsedAt: signIn.now, ...(signIn.name === null ? {} : { name: signIn.name }) })
    .where(
      and(
        eq(externalAccounts.userId, signIn.userId),
        eq(externalAccounts.provider, provider),
        eq(externalAccounts.issuer, issuer),
        eq(externalAccounts.subject, subject),
      ),
    )
    .returning({ id: externalAccounts.id });
  return rows.length > 0;
}

/** Unlinks the user's account at a provider. Returns false if there was none; of concurrent calls one returns true. */
export async function removeExternalAccount(store: Store, userId: string, provider: Provider): Promise<boolean> {
  const { externalAccounts } = store.t;
  const rows = await store.q
    .delete(externalAccounts)
    .where(and(eq(externalAccounts.userId, userId), eq(externalAccounts.provider, provider)))
    .returning({ id: externalAccounts.id });
  return rows.length > 0;
}

/**
 * Returns true if an identity of the user's external accounts is linked to another user of this group (null: none), so
 * that `moveExternalAccounts` would be a unique violation.
 */
export async function isLinkedInGroup(store: Store, userId: string, groupId: string | null): Promise<boolean> {
  const { externalAccounts: own } = store.t;
  const other = aliasedTable(own, "other");
  const isSameIdentity = and(
    eq(other.provider, own.provider),
    eq(other.issuer, own.issuer),
    eq(other.subject, own.subject),
  );
  const [found] = await store.q
    .select({ id: other.id })
    .from(own)
    .innerJoin(other, and(isSameIdentity, ne(other.userId, own.userId), eq(other.groupKey, groupId ?? "")))
    .where(eq(own.userId, userId))
    .limit(1);
  return found !== undefined;
}

/**
 * Moves a user's external accounts to another group (null: none). An identity that has an account in that group already
 * is a unique violation (`store.isUnique`).
 */
export async function moveExternalAccounts(store: Store, userId: string, groupId: string | null): Promise<void> {
  const { externalAccounts } = store.t;
  await store.q
    .update(externalAccounts)
    .set({ groupKey: groupId ?? "" })
    .where(eq(externalAccounts.userId, userId));
}
