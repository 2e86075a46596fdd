import { and, asc, eq, inArray, notExists, or, type SQL, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { Group, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Makes the user a member of a further group. Returns false if the user is one already. */
export async function addGroupMember(
  store: Store,
  { userId, groupId }: { userId: string; groupId: string },
): Promise<boolean> {
  const { groupMembers } = store.t;
  const added = await store.q
    .insert(groupMembers)
    .values({ userId, groupId })
    .onConflictDoNothing()
    .returning({ userId: groupMembers.userId });
  return added.length === 1;
}

/** Ends the user's membership of a further group. Returns false if the user is no member. */
export async function removeGroupMember(
  store: Store,
  { userId, groupId }: { userId: string; groupId: string },
): Promise<boolean> {
  const { groupMembers } = store.t;
  const removed = await store.q
    .delete(groupMembers)
    .where(and(eq(groupMembers.userId, userId), eq(groupMembers.groupId, groupId)))
    .returning({ userId: groupMembers.userId });
  return removed.length === 1;
}

const groupsOfUserStatement = prepared(({ q, t: { groups, users, groupMembers } }) => {
  const userId = sql.placeholder("userId");
  const home = q.select({ id: users.groupId }).from(users).where(eq(users.id, userId));
  const further = q.select({ id: groupMembers.groupId }).from(groupMembers).where(eq(groupMembers.userId, userId));
  return q
    .select({ group: groups, isHome: sql<boolean>`groups.id = (${home})`.mapWith(Boolean) })
    .from(groups)
    .where(or(eq(groups.id, sql`(${home})`), inArray(groups.id, further)))
    .prepare();
});

/** Returns the user's groups: the home group first, then the others by name, in the order of code units. */
export async function listGroupsOfUser(store: Store, userId: string): Promise<Group[]> {
  if (cannotBeStored(userId)) return [];
  const rows = await groupsOfUserStatement(store).execute({ userId });
  // Sorted here, because the databases compare texts differently.
  const isBefore = (one: string, other: string) => (one < other ? -1 : 1);
  return rows
    .toSorted((one, other) => Number(other.isHome) - Number(one.isHome) || isBefore(one.group.name, other.group.name))
    .map(({ group }) => group);
}

/** Returns the further groups of each of these users by the user's id, by name; no entry for a user without any. */
export async function listFurtherGroups(store: Store, userIds: readonly string[]): Promise<Map<string, Group[]>> {
  const found = new Map<string, Group[]>();
  if (userIds.length === 0) return found;
  const { groups, groupMembers } = store.t;
  const rows = await store.q
    .select({ userId: groupMembers.userId, group: groups })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .where(inArray(groupMembers.userId, [...userIds]))
    .orderBy(asc(groups.name));
  for (const { userId, group } of rows) found.set(userId, [...(found.get(userId) ?? []), group]);
  return found;
}

/** Returns the number of further groups of the user. */
export async function countFurtherGroups(store: Store, userId: string): Promise<number> {
  const { groupMembers } = store.t;
  return store.q.$count(groupMembers, eq(groupMembers.userId, userId));
}

/** A user of a group. `isHome`: it is the user's home group. */
export type GroupMember = { id: string; username: string; isHome: boolean };

/** Returns the users of a group, by name. */
export async function listMembersOfGroup(store: Store, groupId: string): Promise<GroupMember[]> {
  const { users, groupMembers } = store.t;
  const isFurther = store.q
    .select({ userId: groupMembers.userId })
    .from(groupMembers)
    .where(eq(groupMembers.groupId, groupId));
  const rows = await store.q
    .select({ id: users.id, username: users.username, homeId: users.groupId })
    .from(users)
    .where(or(eq(users.groupId, groupId), inArray(users.id, isFurther)))
    .orderBy(asc(users.usernameCanonical));
  return rows.map(({ id, username, homeId }) => ({ id, username, isHome: homeId === groupId }));
}

/** A user of a group with the names for a list. `isHome`: it is the user's home group. */
export type ListedMember = Pick<User, "id" | "username" | "displayName" | "givenName" | "familyName" | "status"> & {
  isHome: boolean;
};

/** Condition on `users`: the user belongs to the group, as home group or further group. */
function isMember({ q, t: { users, groupMembers } }: Store, groupId: string) {
  const further = q.select({ userId: groupMembers.userId }).from(groupMembers).where(eq(groupMembers.groupId, groupId));
  return or(eq(users.groupId, groupId), inArray(users.id, further));
}

/** Returns a page of the users of a group, sorted by name. */
export async function pageOfMembers(
  store: Store,
  groupId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedMember[]> {
  const { users } = store.t;
  const rows = await store.q
    .select({
      ...{ id: users.id, username: users.username, status: users.status, homeId: users.groupId },
      ...{ displayName: users.displayName, givenName: users.givenName, familyName: users.familyName },
    })
    .from(users)
    .where(isMember(store, groupId))
    .orderBy(asc(users.sortName), asc(users.id))
    .limit(limit)
    .offset(offset);
  return rows.map(({ homeId, ...user }) => ({ ...user, isHome: homeId === groupId }));
}

/** Counts the users of a group who have neither an authenticator app nor a security key or passkey. */
export async function countMembersWithoutFactor(store: Store, groupId: string): Promise<number> {
  const { users, totpCredentials, webauthnCredentials } = store.t;
  const app = store.q
    .select({ userId: totpCredentials.userId })
    .from(totpCredentials)
    .where(eq(totpCredentials.userId, users.id));
  const key = store.q
    .select({ userId: webauthnCredentials.userId })
    .from(webauthnCredentials)
    .where(eq(webauthnCredentials.userId, users.id));
  return store.q.$count(users, and(isMember(store, groupId), notExists(app), notExists(key)));
}

/** An application that a user may use only by one group. */
export type AccessByGroup = { clientId: string; clientName: string; userId: string } & Pick<
  User,
  "displayName" | "givenName" | "familyName"
>;

/** Lists what the further members of a group may use by it alone, by the application's and the user's name. */
export async function listAccessByGroup(store: Store, groupId: string): Promise<AccessByGroup[]> {
  const { users, groupMembers, clients, clientGroups } = store.t;
  const byAnother = sql`exists (
    select 1 from client_groups other where other.client_id = clients.id and other.group_id <> ${groupId} and (
      other.group_id = users.group_id or exists (
        select 1 from group_members member where member.user_id = users.id and member.group_id = other.group_id
      )
    )
  )`;
  return store.q
    .select({
      ...{ clientId: clients.id, clientName: clients.name, userId: users.id },
      ...{ displayName: users.displayName, givenName: users.givenName, familyName: users.familyName },
    })
    .from(groupMembers)
    .innerJoin(users, eq(users.id, groupMembers.userId))
    .innerJoin(clientGroups, eq(clientGroups.groupId, groupMembers.groupId))
    .innerJoin(clients, eq(clients.id, clientGroups.clientId))
    .where(and(eq(groupMembers.groupId, groupId), eq(clients.access, "groups"), sql`not ${byAnother}`))
    .orderBy(asc(clients.name), asc(clients.id), asc(users.sortName), asc(users.id));
}

/** Ends the user's memberships of these further groups. */
export async function removeMemberships(store: Store, userId: string, groupIds: readonly string[]): Promise<void> {
  const { groupMembers } = store.t;
  await store.q
    .delete(groupMembers)
    .where(and(eq(groupMembers.userId, userId), inArray(groupMembers.groupId, [...groupIds])));
}

/** Returns the groups of which new users become members, by name. */
export async function listDefaultGroups(store: Store): Promise<Group[]> {
  const { groups } = store.t;
  return store.q.select().from(groups).where(eq(groups.isDefault, true)).orderBy(asc(groups.name));
}

/** Counts the users of each of these groups by its id: those whose home it is, and further members. */
export async function countGroupMembers(
  store: Store,
  groupIds: readonly string[],
): Promise<Map<string, { home: number; further: number }>> {
  if (groupIds.length === 0) return new Map();
  const { users, groupMembers } = store.t;
  const ids = [...groupIds];
  const count = sql<number>`count(*)`.mapWith(Number);
  const home = await store.q
    .select({ id: users.groupId, count })
    .from(users)
    .where(inArray(users.groupId, ids))
    .groupBy(users.groupId);
  const further = await store.q
    .select({ id: groupMembers.groupId, count })
    .from(groupMembers)
    .where(inArray(groupMembers.groupId, ids))
    .groupBy(groupMembers.groupId);
  const homeOf = new Map(home.map((row) => [row.id, row.count]));
  const furtherOf = new Map(further.map((row) => [row.id, row.count]));
  return new Map(ids.map((id) => [id, { home: homeOf.get(id) ?? 0, further: furtherOf.get(id) ?? 0 }]));
}

/**
 * Condition on `users`: a group of the user, the home group or a further one, requires a second factor, or the user has a
 * role.
 */
export const IS_MFA_REQUIRED_OF_USER: SQL<boolean> = sql<boolean>`(
  exists (select 1 from groups home where home.id = users.group_id and home.require_mfa)
  or exists (
    select 1 from group_members member join groups g on g.id = member.group_id
    where member.user_id = users.id and g.require_mfa
  )
  or exists (select 1 from user_roles role where role.user_id = users.id)
)`.mapWith(Boolean);

/** Returns true if a group or the role of the user requires a second factor; false for a user who does not exist. */
export async function isMfaRequiredOfUser(store: Store, userId: string): Promise<boolean> {
  const { users } = store.t;
  const [user] = await store.q.select({ isRequired: IS_MFA_REQUIRED_OF_USER }).from(users).where(eq(users.id, userId));
  return user?.isRequired ?? false;
}

/** Condition on `clients` and `users`: the user may use the client, because everyone may or a group of the user may. */
export const MAY_USE_CLIENT: SQL<boolean> = sql<boolean>`(
  clients.access = 'everyone' or exists (
    select 1 from client_groups allowed where allowed.client_id = clients.id and (
      allowed.group_id = users.group_id or exists (
        select 1 from group_members member
        where member.user_id = users.id and member.group_id = allowed.group_id
      )
    )
  )
)`.mapWith(Boolean);
