import type { Logger } from "pino";
import { removeKnownBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { setUserStatus } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import type { Clock } from "#app/ports.ts";
import { getUserByName } from "./get.server.ts";

/** Dependencies of `blockUser` and `unblockUser`. */
type BlockDeps = { store: Store; clock: Clock; log: Logger };

/** Blocks a user, ends all sessions, tokens and grants, deletes known browsers. Throws DomainError "user not found". */
export async function blockUser(context: BlockDeps, username: string): Promise<void> {
  const user = await getUserByName(context.store, username);
  await context.store.tx(async (tx) => {
    // Other links end with the generation. Before the user's row: a password reset locks its link first.
    await removeOneTimeTokensOfUser(tx, user.id, ["not-me-reset"]);
    await setUserStatus(tx, user.id, "blocked", context.clock.now());
    await removeKnownBrowsers(tx, user.id);
    await endSessions({ ...context, store: tx }, user.id);
    await recordEvent({ ...context, store: tx }, { type: "user.blocked", outcome: "ok", userId: user.id });
  });
}

/** Unblocks a user. Ended sessions and links are not restored. Throws DomainError "user not found". */
export async function unblockUser(context: BlockDeps, username: string): Promise<void> {
  const user = await getUserByName(context.store, username);
  await context.store.tx(async (tx) => {
    // A report that committed while the block waited for it has issued another one.
    await removeOneTimeTokensOfUser(tx, user.id, ["not-me-reset"]);
    await setUserStatus(tx, user.id, "active", context.clock.now());
    await recordEvent({ ...context, store: tx }, { type: "user.unblocked", outcome: "ok", userId: user.id });
  });
}
