import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { canonicalAddress } from "#app/mail-address.server.ts";

/**
 * Condition on `users` for lists: the account was never used. It has no password, no external account and no sign-in.
 * Each password has a time, which the index of the list of people contains.
 */
export const IS_LISTED_AS_UNUSED: SQL<boolean> = sql<boolean>`(
  users.password_set_at is null and users.last_signed_in_at is null
  and not exists (select 1 from external_accounts account where account.user_id = users.id)
)`.mapWith(Boolean);

/** The same condition for decisions, which read the password itself. */
const IS_UNUSED: SQL = sql`users.password_hash is null and ${IS_LISTED_AS_UNUSED}`;

/** Returns true if the account exists and was never used. */
export async function isUnusedUser(store: Store, id: string): Promise<boolean> {
  const { users } = store.t;
  const [user] = await store.q
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), IS_UNUSED));
  return user !== undefined;
}

/**
 * Removes an account that was never used, with all rows that reference it. One statement: an invitation that is used at
 * the same moment wins. Returns the removed user; null if the account was used, or does not exist.
 */
export async function removeUnusedUser(store: Store, id: string): Promise<User | null> {
  const { users } = store.t;
  const [removed] = await store.q
    .delete(users)
    .where(and(eq(users.id, id), IS_UNUSED))
    .returning();
  return removed ?? null;
}

/** Returns true if an account with these names, this address and this home group exists and was never used. */
export async function hasUnusedUser(
  store: Store,
  {
    givenName,
    familyName,
    email,
    groupId,
  }: Record<"givenName" | "familyName" | "email", string> & Pick<User, "groupId">,
): Promise<boolean> {
  const { users } = store.t;
  const isOfGroup = groupId === null ? isNull(users.groupId) : eq(users.groupId, groupId);
  const isSame = and(
    eq(users.givenName, givenName),
    eq(users.familyName, familyName),
    eq(users.emailCanonical, canonicalAddress(email) ?? email),
  );
  const [user] = await store.q
    .select({ id: users.id })
    .from(users)
    .where(and(isSame, isOfGroup, IS_UNUSED))
    .limit(1);
  return user !== undefined;
}
