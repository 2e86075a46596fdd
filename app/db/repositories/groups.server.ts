import { and, asc, eq, notExists, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored, getOnly } from "#app/db/rows.server.ts";
import type { Group, NewGroup } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Adds a group. An existing name is a unique violation (`store.isUnique`). */
export async function createGroup(store: Store, group: NewGroup): Promise<Group> {
  return getOnly(await store.q.insert(store.t.groups).values(group).returning());
}

/** The changeable columns of a group. Undefined columns stay; at least one must be defined. */
type GroupUpdate = {
  [Field in "name" | "requireMfa" | "isDefault" | "description" | "contact"]?: Group[Field] | undefined;
};

/** Changes a group; returns null if it does not exist. An existing name is a unique violation (`store.isUnique`). */
export async function updateGroup(store: Store, id: string, changes: GroupUpdate): Promise<Group | null> {
  const { groups } = store.t;
  const [group] = await store.q.update(groups).set(changes).where(eq(groups.id, id)).returning();
  return group ?? null;
}

/**
 * Removes a group that is the home group of no user, with its memberships and openings of clients; returns false if it is
 * one. Throws an error of `isMissingReference` on PostgreSQL if a user gets it as home group at the same moment.
 */
export async function removeGroupWithoutHomes(store: Store, id: string): Promise<boolean> {
  const { groups, users } = store.t;
  const members = store.q.select({ id: users.id }).from(users).where(eq(users.groupId, id));
  const removed = await store.q
    .delete(groups)
    .where(and(eq(groups.id, id), notExists(members)))
    .returning({ id: groups.id });
  return removed.length > 0;
}

const byIdStatement = prepared(({ q, t: { groups } }) =>
  q
    .select()
    .from(groups)
    .where(eq(groups.id, sql.placeholder("id")))
    .prepare(),
);

/** Returns the group with this id. */
export async function findGroup(store: Store, id: string): Promise<Group | null> {
  if (cannotBeStored(id)) return null;
  const [group] = await byIdStatement(store).execute({ id });
  return group ?? null;
}

/** Returns the group with exactly this name. */
export async function findGroupByName(store: Store, name: string): Promise<Group | null> {
  if (cannotBeStored(name)) return null;
  const [group] = await store.q.select().from(store.t.groups).where(eq(store.t.groups.name, name));
  return group ?? null;
}

/** Returns all groups, ordered by name. */
export async function listGroups(store: Store): Promise<Group[]> {
  return store.q.select().from(store.t.groups).orderBy(asc(store.t.groups.name));
}
