import type { Logger } from "pino";
import type { Config } from "#app/config/config.ts";
import { removeKnownBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { blockAfterLastDay, findUser, setUserStatus } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { dayOf } from "#app/domain/base/day.ts";
import { keepAdministrator, lockRoles } from "#app/domain/role/grant.server.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import type { Clock } from "#app/ports.ts";
import { getUserByName } from "./get.server.ts";

/** Dependencies of `blockUser` and `unblockUser`. */
type BlockDeps = { store: Store; clock: Clock; log: Logger; config: Pick<Config, "timeZone"> };

/**
 * Blocks a user, ends all sessions, tokens and grants, deletes known browsers. Returns false if the user is blocked
 * already. Throws DomainError "user not found", "last administrator".
 */
export async function blockUser(context: BlockDeps, username: string): Promise<boolean> {
  const user = await getUserByName(context.store, username);
  return context.store.tx((store) => changeStatus({ ...context, store }, user, "blocked"));
}

/**
 * Unblocks a user. Ended sessions and links are not restored. Returns false if the user is not blocked. Throws DomainError
 * "user not found".
 */
export async function unblockUser(context: BlockDeps, username: string): Promise<boolean> {
  const user = await getUserByName(context.store, username);
  return context.store.tx((store) => changeStatus({ ...context, store }, user, "active"));
}

/**
 * Blocks or unblocks a user like `blockUser` and `unblockUser`, in the transaction of the store. `blockReason`: why, for
 * administrators. Unblocking removes it, and a last day that is over. Changes nothing and returns false if the user has
 * the status already, also by another process at this moment: the first reason stays, and sessions and links of an active
 * user too.
 */
export async function changeStatus(
  context: BlockDeps,
  user: Pick<User, "id" | "username">,
  status: "blocked" | "active",
  { blockReason = null }: { blockReason?: string | null } = {},
): Promise<boolean> {
  const { store, clock, config } = context;
  const { id: userId } = user;
  const now = clock.now();
  await lockRoles(store);
  if ((await findUser(store, userId))?.status === status) return false;
  if (status === "blocked") await keepAdministrator(store, user);
  // Other links end with the generation. Before the user's row: a password reset locks its link first. Also when a user
  // is unblocked: a report that committed while the block waited for it has issued another one.
  await removeOneTimeTokensOfUser(store, userId, BLOCKED_LINKS);
  const today = dayOf(now, config.timeZone);
  await setUserStatus(store, userId, status, now, { blockReason: status === "blocked" ? blockReason : null, today });
  if (status === "blocked") await endAccessOfBlocked(context, userId);
  const type = status === "blocked" ? "user.blocked" : "user.unblocked";
  await recordEvent(context, { type, outcome: "ok", userId });
  return true;
}

/** Links that do not end with the generation. */
const BLOCKED_LINKS = ["not-me-reset", "email-change-undo"] as const;

async function endAccessOfBlocked(context: BlockDeps, userId: string): Promise<void> {
  await removeKnownBrowsers(context.store, userId);
  await endSessions(context, userId);
}

/**
 * Blocks a user whose last day is over, in the transaction of the store, as `changeStatus` does. Returns false if another
 * process has blocked the user, or the last day was changed. Throws DomainError "last administrator".
 */
export async function endAfterLastDay(
  context: BlockDeps,
  user: Pick<User, "id" | "username">,
  today: string,
): Promise<boolean> {
  const { store, clock } = context;
  const { id: userId, username } = user;
  await keepAdministrator(store, user);
  await removeOneTimeTokensOfUser(store, userId, BLOCKED_LINKS);
  if (!(await blockAfterLastDay(store, userId, { today, now: clock.now() }))) return false;
  await endAccessOfBlocked(context, userId);
  await recordEvent(context, { type: "user.left", outcome: "ok", userId, username });
  return true;
}
