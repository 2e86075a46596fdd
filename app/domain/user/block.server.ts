import type { Logger } from "pino";
import { forgetBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { setUserStatus } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { endSessions } from "#app/domain/session/end-sessions.server.ts";
import type { Clock } from "#app/ports.ts";
import { getUserByName } from "./get.server.ts";

/** What blocking touches. */
export type BlockDeps = { store: Store; clock: Clock; log: Logger };

/**
 * Blocks a user: sign-ins of this user are refused. Every session, token and grant ends, and the known browsers are
 * deleted, in the same transaction.
 * Throws DomainError "user not found".
 */
export async function blockUser(context: BlockDeps, username: string): Promise<void> {
  const user = await getUserByName(context.store, username);
  await context.store.tx(async (tx) => {
    await setUserStatus(tx, user.id, "blocked", context.clock.now());
    await forgetBrowsers(tx, user.id);
    await endSessions({ ...context, store: tx }, user.id);
    await recordEvent({ ...context, store: tx }, { type: "user.blocked", outcome: "ok", userId: user.id });
  });
}

/** Lets a blocked user sign in again; what was ended stays ended. Throws DomainError "user not found". */
export async function unblockUser(context: BlockDeps, username: string): Promise<void> {
  const user = await getUserByName(context.store, username);
  await context.store.tx(async (tx) => {
    await setUserStatus(tx, user.id, "active", context.clock.now());
    await recordEvent({ ...context, store: tx }, { type: "user.unblocked", outcome: "ok", userId: user.id });
  });
}
