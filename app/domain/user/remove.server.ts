import { reserveUsername } from "#app/db/repositories/reserved-usernames.server.ts";
import { removeUser as removeUserRow } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { ThrottleDeps } from "#app/domain/password/throttle.server.ts";
import { keepAdministrator } from "#app/domain/role/grant.server.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import { getUserByName } from "./get.server.ts";
import { clearFailures } from "./unlock.server.ts";

/**
 * Removes a user with all sessions, tokens, factors, external accounts, consents and links. The audit trail stays and
 * contains the user's id; the user name stays reserved, so that no application takes another user for this one. Throws
 * DomainError "user not found", "last administrator".
 */
export async function removeUser(context: AuditDeps & ThrottleDeps, username: string): Promise<{ id: string }> {
  return context.store.tx(async (tx) => {
    const deps = { ...context, store: tx };
    const user = await getUserByName(tx, username);
    await removeFoundUser(deps, user);
    return { id: user.id };
  });
}

/** Removes a user like `removeUser`, in the transaction of the store. */
export async function removeFoundUser(context: AuditDeps & ThrottleDeps, user: User): Promise<void> {
  const { store } = context;
  await keepAdministrator(store, user);
  await clearFailures(context, user);
  await endSessions(context, user.id);
  await removeUserRow(store, user.id);
  const { id: userId, username, usernameCanonical } = user;
  await reserveUsername(store, { usernameCanonical, userId, reservedAt: context.clock.now() });
  await recordEvent(context, { type: "user.removed", outcome: "ok", userId, username });
}
