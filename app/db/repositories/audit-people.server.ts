import { and, asc, desc, eq, inArray, or, sql } from "drizzle-orm";
import { searchWords } from "#app/db/folded-names.ts";
import type { Store } from "#app/db/store.server.ts";
import { containsWords } from "./people.server.ts";

/** A user of an event. `isRemoved`: the name is the one that the event of the removal recorded. */
export type AuditPerson = { name: string; username: string; isRemoved: boolean };

/** Returns the names of users by id; for removed ones, the user name of their last event with one. */
export async function findAuditPeople(store: Store, ids: readonly string[]): Promise<Map<string, AuditPerson>> {
  if (ids.length === 0) return new Map();
  const { users, auditEvents } = store.t;
  const present = await store.q
    .select({ id: users.id, name: users.displayName, username: users.username })
    .from(users)
    .where(inArray(users.id, [...ids]));
  const people = new Map<string, AuditPerson>();
  for (const { id, name, username } of present) people.set(id, { name, username, isRemoved: false });
  const missing = ids.filter((id) => !people.has(id));
  if (missing.length === 0) return people;
  const removals = await store.q
    .select({ id: auditEvents.userId, detail: auditEvents.detail })
    .from(auditEvents)
    .where(and(inArray(auditEvents.userId, missing), eq(auditEvents.type, "user.removed")));
  for (const { id, detail } of removals) {
    const username = detail["username"];
    if (id !== null && typeof username === "string") people.set(id, { name: username, username, isRemoved: true });
  }
  return people;
}

/** Returns the ids of at most `limit` users whose folded names contain each word, or with this id, sorted by name. */
export async function findIdsByFoldedName(store: Store, name: string, limit: number): Promise<string[]> {
  const { users } = store.t;
  const rows = await store.q
    .select({ id: users.id })
    .from(users)
    .where(or(containsWords(store, searchWords(name)), eq(users.id, name.trim())))
    .orderBy(asc(users.sortName))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/**
 * Returns the ids of at most `limit` users who were removed under this user name, the last removed first. `canonical`: the
 * name as it is reserved, since the databases fold only A to Z; null for none. Reads all events: for names that no present
 * user has.
 */
export async function findIdsOfRemoved(
  store: Store,
  { username, canonical }: { username: string; canonical: string | null },
  limit: number,
): Promise<string[]> {
  const { auditEvents, reservedUsernames } = store.t;
  const reserved = store.q
    .select({ userId: reservedUsernames.userId })
    .from(reservedUsernames)
    .where(eq(reservedUsernames.usernameCanonical, canonical ?? ""));
  const rows = await store.q
    .select({ id: auditEvents.userId })
    .from(auditEvents)
    .where(
      and(
        eq(auditEvents.type, "user.removed"),
        or(
          sql`lower(${auditEvents.detail} ->> 'username') = lower(${username})`,
          inArray(auditEvents.userId, reserved),
        ),
      ),
    )
    .orderBy(desc(auditEvents.sequence))
    .limit(limit);
  return rows.flatMap(({ id }) => id ?? []);
}
