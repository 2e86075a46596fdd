import type { Logger } from "pino";
import { removeKnownBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { setUserStatus } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { keepAdministrator } from "#app/domain/role/grant.server.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import type { Clock } from "#app/ports.ts";
import { getUserByName } from "./get.server.ts";

/** Dependencies of `blockUser` and `unblockUser`. */
type BlockDeps = { store: Store; clock: Clock; log: Logger };

/** Blocks a user, ends all sessions, tokens and grants, deletes known browsers. Throws DomainError "user not found", "last administrator". */
export async function blockUser(context: BlockDeps, username: string): Promise<void> {
  const user = await getUserByName(context.store, username);
  await context.store.tx((store) => changeStatus({ ...context, store }, user, "blocked"));
}

/** Unblocks a user. Ended sessions and links are not restored. Throws DomainError "user not found". */
export async function unblockUser(context: BlockDeps, username: string): Promise<void> {
  const user = await getUserByName(context.store, username);
  await context.store.tx((store) => changeStatus({ ...context, store }, user, "active"));
}

/** Blocks or unblocks a user like `blockUser` and `unblockUser`, in the transaction of the store. */
export async function changeStatus(
  context: BlockDeps,
  user: Pick<User, "id" | "username">,
  status: "blocked" | "active",
): Promise<void> {
  const { store, clock } = context;
  const { id: userId } = user;
  if (status === "blocked") await keepAdministrator(store, user);
  // Other links end with the generation. Before the user's row: a password reset locks its link first. Also when a user
  // is unblocked: a report that committed while the block waited for it has issued another one.
  await removeOneTimeTokensOfUser(store, userId, ["not-me-reset", "email-change-undo"]);
  await setUserStatus(store, userId, status, clock.now());
  if (status === "blocked") {
    await removeKnownBrowsers(store, userId);
    await endSessions(context, userId);
  }
  const type = status === "blocked" ? "user.blocked" : "user.unblocked";
  await recordEvent(context, { type, outcome: "ok", userId });
}
