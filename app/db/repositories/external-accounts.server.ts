import { and, eq } from "drizzle-orm";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { ExternalAccount, NewExternalAccount, Provider, UserStatus } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Who somebody is at a provider; the only key there is. */
export type IdentityKey = { provider: Provider; issuer: string; subject: string };

/** An account that an external identity opens, with what a choice between several shows. */
export type OpenedAccount = {
  id: string;
  userId: string;
  displayName: string;
  username: string;
  groupName: string | null;
  status: UserStatus;
  lastUsedAt: Date | null;
};

/** All accounts that this identity opens, blocked ones too, in no order: one in each group at most. */
export async function findAccountsOfIdentity(
  store: Store,
  { provider, issuer, subject }: IdentityKey,
): Promise<OpenedAccount[]> {
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

/** The external accounts of a user: one of each provider at most. */
export async function findExternalAccountsOfUser(store: Store, userId: string): Promise<ExternalAccount[]> {
  const { externalAccounts } = store.t;
  return store.q.select().from(externalAccounts).where(eq(externalAccounts.userId, userId));
}

/**
 * Links an identity to a user. False, and nothing is changed, when the user has an account of this provider already, or
 * the identity opens another account of the same group; of many at once one wins.
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

/** Notes that the identity opened this user's account, and how it is called now. False when it does not (any more). */
export async function useExternalAccount(
  store: Store,
  { provider, issuer, subject }: IdentityKey,
  use: { userId: string; name: string | null; now: Date },
): Promise<boolean> {
  const { externalAccounts } = store.t;
  const rows = await store.q
    .update(externalAccounts)
    .set({ lastUsedAt: use.now, ...(use.name === null ? {} : { name: use.name }) })
    .where(
      and(
        eq(externalAccounts.userId, use.userId),
        eq(externalAccounts.provider, provider),
        eq(externalAccounts.issuer, issuer),
        eq(externalAccounts.subject, subject),
      ),
    )
    .returning({ id: externalAccounts.id });
  return rows.length > 0;
}

/** Unlinks the user's account at a provider. False when there was none: of many at once one removes it. */
export async function removeExternalAccount(store: Store, userId: string, provider: Provider): Promise<boolean> {
  const { externalAccounts } = store.t;
  const rows = await store.q
    .delete(externalAccounts)
    .where(and(eq(externalAccounts.userId, userId), eq(externalAccounts.provider, provider)))
    .returning({ id: externalAccounts.id });
  return rows.length > 0;
}
