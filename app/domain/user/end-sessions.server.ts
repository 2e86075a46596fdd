import { removeKnownBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { invalidateSessions } from "#app/db/repositories/users.server.ts";
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
    await invalidateSessions(tx, user.id, context.clock.now());
    await removeKnownBrowsers(tx, user.id);
    await endSessions({ ...context, store: tx }, user.id);
    const { id: userId, username: name } = user;
    await recordEvent(
      { ...context, store: tx },
      { type: "user.sessions-ended", outcome: "ok", userId, username: name },
    );
    return { id: userId };
  });
}
