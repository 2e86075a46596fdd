import { removeKnownBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { invalidateSessions } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import { getUserByName } from "./get.server.ts";

/**
 * Ends all sessions, tokens and page sessions of a user and deletes the known browsers. The user can sign in again at
 * once. Throws DomainError "user not found".
 */
export async function endSessionsOfUser(context: AuditDeps, username: string): Promise<{ id: string }> {
  return context.store.tx(async (tx) => {
    const user = await getUserByName(tx, username);
    await endAllSessions({ ...context, store: tx }, user);
    return { id: user.id };
  });
}

/** Ends all sessions of a user like `endSessionsOfUser`, in the transaction of the store. */
export async function endAllSessions(context: AuditDeps, user: Pick<User, "id" | "username">): Promise<void> {
  const { store, clock } = context;
  const { id: userId, username } = user;
  await invalidateSessions(store, userId, clock.now());
  await removeKnownBrowsers(store, userId);
  await endSessions(context, userId);
  await recordEvent(context, { type: "user.sessions-ended", outcome: "ok", userId, username });
}
