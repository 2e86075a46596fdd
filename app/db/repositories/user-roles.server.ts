import { and, asc, eq, isNull, ne, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import type { Role, Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** The role of a user. */
export type UserRole = Tables["userRoles"]["$inferSelect"];

const ofUserStatement = prepared(({ q, t: { userRoles } }) =>
  q
    .select()
    .from(userRoles)
    .where(eq(userRoles.userId, sql.placeholder("userId")))
    .prepare(),
);

/** Returns the role of a user; null if the user has none, or does not exist. */
export async function findUserRole(store: Store, userId: string): Promise<UserRole | null> {
  const [role] = await ofUserStatement(store).execute({ userId });
  return role ?? null;
}

/** Stores the role of a user, in place of another one. Returns the former role; null without one. */
export async function putUserRole(store: Store, row: UserRole): Promise<UserRole | null> {
  const { userRoles } = store.t;
  const former = await findUserRole(store, row.userId);
  const { role, officeId, grantedAt } = row;
  await store.q
    .insert(userRoles)
    .values(row)
    .onConflictDoUpdate({ target: userRoles.userId, set: { role, officeId, grantedAt } });
  return former;
}

/** Removes the role of a user. Returns it; null if the user had none. */
export async function removeUserRole(store: Store, userId: string): Promise<UserRole | null> {
  const { userRoles } = store.t;
  const [removed] = await store.q.delete(userRoles).where(eq(userRoles.userId, userId)).returning();
  return removed ?? null;
}

/** A user with a role; `office`: name of the home group to whose members a help desk is limited, null for all users. */
export type UserWithRole = {
  userId: string;
  username: string;
  displayName: string;
  role: Role;
  office: string | null;
  isBlocked: boolean;
  grantedAt: Date;
};

/** Lists the users with a role, by user name. */
export async function listUsersWithRoles(store: Store): Promise<UserWithRole[]> {
  const { userRoles, users, groups } = store.t;
  const rows = await store.q
    .select({
      row: userRoles,
      username: users.username,
      displayName: users.displayName,
      status: users.status,
      office: groups.name,
    })
    .from(userRoles)
    .innerJoin(users, eq(users.id, userRoles.userId))
    .leftJoin(groups, eq(groups.id, userRoles.officeId))
    .orderBy(asc(users.usernameCanonical));
  return rows.map(({ row: { userId, role, grantedAt }, username, displayName, status, office }) => {
    return { userId, username, displayName, role, office, isBlocked: status === "blocked", grantedAt };
  });
}

/** Returns true if another active user than this one is administrator. */
export async function hasOtherAdministrator(store: Store, userId: string): Promise<boolean> {
  const { userRoles, users } = store.t;
  const [other] = await store.q
    .select({ id: users.id })
    .from(userRoles)
    .innerJoin(users, eq(users.id, userRoles.userId))
    .where(
      and(
        eq(userRoles.role, "administrator"),
        ne(userRoles.userId, userId),
        eq(users.status, "active"),
        isNull(userRoles.officeId),
      ),
    )
    .limit(1);
  return other !== undefined;
}

/** Returns the users whose role is limited to this home group, by user name. */
export async function listRolesOfOffice(
  store: Store,
  officeId: string,
): Promise<{ id: string; username: string; displayName: string }[]> {
  const { userRoles, users } = store.t;
  return store.q
    .select({ id: users.id, username: users.username, displayName: users.displayName })
    .from(userRoles)
    .innerJoin(users, eq(users.id, userRoles.userId))
    .where(eq(userRoles.officeId, officeId))
    .orderBy(asc(users.usernameCanonical));
}
