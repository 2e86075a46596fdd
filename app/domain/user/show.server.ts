import { findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import { countFactors, type FactorCounts } from "#app/db/repositories/factors.server.ts";
import { findGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { listUsers as listPage } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { listLiveSessions } from "#app/domain/engine-session/engine-session.server.ts";
import type { Clock } from "#app/ports.ts";
import { getUserByName } from "./get.server.ts";
import { type UserView, userView } from "./view.server.ts";

/** Factors, providers of linked accounts (`accounts`) and number of live `sessions` of a user. */
export type UserAccess = { factors: FactorCounts; accounts: string[]; sessions: number };

/** Returns a user by name. Throws DomainError "user not found". */
export async function showUser({ store }: { store: Store }, username: string): Promise<UserView> {
  return viewOf(store, await getUserByName(store, username));
}

/** Returns a user by name, with factors, linked accounts and sessions. Throws DomainError "user not found". */
export async function showUserAccess(
  { store, clock }: { store: Store; clock: Clock },
  username: string,
): Promise<UserView & UserAccess> {
  const user = await getUserByName(store, username);
  const { id: userId, generation } = user;
  const accounts = await findExternalAccountsOfUser(store, userId);
  const sessions = await listLiveSessions(store, { userId, generation, now: clock.now() });
  return {
    ...(await viewOf(store, user)),
    factors: await countFactors(store, userId),
    accounts: accounts.map(({ provider }) => provider).sort(),
    sessions: sessions.length,
  };
}

async function viewOf(store: Store, user: User): Promise<UserView> {
  return userView(user, user.groupId === null ? null : await findGroup(store, user.groupId));
}

const PAGE_SIZE = 500;

/** Lists all users, sorted by name. Reads in pages, so that a long list does not block a running server. */
export async function listUsers({ store }: { store: Store }): Promise<UserView[]> {
  const groups = new Map((await listGroups(store)).map((group) => [group.id, group]));
  const users: User[] = [];
  let page: User[];
  do {
    page = await listPage(store, { after: users.at(-1)?.usernameCanonical ?? null, limit: PAGE_SIZE });
    users.push(...page);
  } while (page.length === PAGE_SIZE);
  return users.map((user) => userView(user, groups.get(user.groupId ?? "") ?? null));
}
