import {
  findUserRole,
  hasOtherAdministrator,
  listUsersWithRoles,
  putUserRole,
  removeUserRole,
  type UserWithRole,
} from "#app/db/repositories/user-roles.server.ts";
import type { Group, Role, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";

/** The user who gets or loses a role. */
type Holder = Pick<User, "id" | "username">;

/**
 * Gives a user a role, in place of another one, in the transaction of the store. `office` limits a help desk to the
 * members of a home group; null gives it all users. From then on the user needs a second factor. Throws DomainError
 * "role is invalid" for an administrator of one office, "last administrator". Does nothing and returns false if the user has
 * the role.
 */
export async function grantRole(
  context: AuditDeps,
  user: Holder,
  { role, office }: { role: Role; office: Pick<Group, "id" | "name"> | null },
): Promise<boolean> {
  const { store, clock } = context;
  if (role === "administrator" && office !== null) {
    throw new DomainError("role is invalid", { detail: "an administrator administers all offices" });
  }
  await lockRoles(store);
  const officeId = office?.id ?? null;
  const present = await findUserRole(store, user.id);
  if (present?.role === role && present.officeId === officeId) return false;
  if (role !== "administrator") await keepAdministrator(store, user);
  await putUserRole(store, { userId: user.id, role, officeId, grantedAt: clock.now() });
  await recordRole(context, "role.granted", user, office === null ? role : `${role}: ${office.name}`);
  return true;
}

/** Takes the role of a user away, in the transaction of the store. Throws DomainError "role not found", "last administrator". */
export async function revokeRole(context: AuditDeps, user: Holder): Promise<void> {
  await lockRoles(context.store);
  await keepAdministrator(context.store, user);
  const removed = await removeUserRole(context.store, user.id);
  if (!removed) throw new DomainError("role not found", { detail: user.username });
  await recordRole(context, "role.revoked", user, removed.role);
}

/**
 * Refuses what would leave the installation without an active administrator: call it in the transaction that blocks or
 * removes the user, or takes the role away. Locks the roles until the transaction ends. Throws DomainError "last administrator".
 */
export async function keepAdministrator(store: Store, user: Holder): Promise<void> {
  await lockRoles(store);
  if ((await findUserRole(store, user.id))?.role !== "administrator") return;
  if (!(await hasOtherAdministrator(store, user.id))) {
    throw new DomainError("last administrator", { detail: user.username });
  }
}

/** Lists the users with a role, by user name. */
export async function listRoles({ store }: { store: Store }): Promise<UserWithRole[]> {
  return listUsersWithRoles(store);
}

/**
 * Locks the roles of all users until the transaction ends. Take it after `lockMemberships`, and before what a role depends
 * on is read, such as its office.
 */
export function lockRoles(store: Store): Promise<void> {
  return store.lock("roles");
}

function recordRole(
  context: AuditDeps,
  type: "role.granted" | "role.revoked",
  { id: userId, username }: Holder,
  reason: string,
): Promise<void> {
  return recordEvent(context, { type, outcome: "ok", userId, username, reason });
}
