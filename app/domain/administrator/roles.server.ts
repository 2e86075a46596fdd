import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { getGroup } from "#app/domain/group/find.server.ts";
import { grantRole, lockRoles, revokeRole } from "#app/domain/role/grant.server.ts";
import type { Role } from "#app/domain/role/role.ts";
import { getUserByName } from "#app/domain/user/get.server.ts";

/**
 * Gives a user a role by name. `office`: name of the home group to whose members a help desk is limited; null for all
 * users. Returns the id of the user; `isChanged`: false if the user has the role already. Throws DomainError "user not
 * found", "group not found", "role is invalid", "last administrator".
 */
export async function grantRoleByName(
  context: AuditDeps,
  username: string,
  { role, office }: { role: Role; office: string | null },
): Promise<{ id: string; username: string; isChanged: boolean }> {
  return context.store.tx(async (store) => {
    await lockRoles(store);
    const user = await getUserByName(store, username);
    const group = office === null ? null : await getGroup(store, office);
    const isChanged = await grantRole({ ...context, store }, user, { role, office: group });
    return { id: user.id, username: user.username, isChanged };
  });
}

/**
 * Takes the role of a user away by name. Returns the id of the user. Throws DomainError "user not found", "role not
 * found", "last administrator".
 */
export async function revokeRoleByName(
  context: AuditDeps,
  username: string,
): Promise<{ id: string; username: string }> {
  return context.store.tx(async (store) => {
    const user = await getUserByName(store, username);
    await revokeRole({ ...context, store }, user);
    return { id: user.id, username: user.username };
  });
}
