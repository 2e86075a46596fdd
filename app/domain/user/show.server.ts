import { findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import { countFactors, type FactorCounts } from "#app/db/repositories/factors.server.ts";
import { listFurtherGroups } from "#app/db/repositories/group-members.server.ts";
import { findGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { findUserRole } from "#app/db/repositories/user-roles.server.ts";
import { listUsers as listPage } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { listLiveSessions } from "#app/domain/engine-session/engine-session.server.ts";
import type { Clock } from "#app/ports.ts";
import { getUserByName } from "./get.server.ts";
import { type UserView, userView } from "./view.server.ts";

/**
 * Factors, providers of linked accounts (`accounts`) and number of live `sessions` of a user. `role`: with the office of a
 * help desk that is limited to one. `blockReason`: why an administrator blocked the user.
 */
export type UserAccess = {
  factors: FactorCounts;
  accounts: string[];
  sessions: number;
  role: string | null;
  blockReason: string | null;
};

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
    role: await roleText(store, userId),
    blockReason: user.blockReason,
  };
}

async function roleText(store: Store, userId: string): Promise<string | null> {
  const granted = await findUserRole(store, userId);
  if (!granted) return null;
  const office = granted.officeId === null ? null : await findGroup(store, granted.officeId);
  return office === null ? granted.role : `${granted.role} (${office.name})`;
}

async function viewOf(store: Store, user: User): Promise<UserView> {
  const group = user.groupId === null ? null : await findGroup(store, user.groupId);
  return userView(user, { group, furtherGroups: (await listFurtherGroups(store, [user.id])).get(user.id) ?? [] });
}

const PAGE_SIZE = 500;

/** Lists all users, sorted by name. Reads in pages, so that a long list does not block a running server. */
export async function listUsers({ store }: { store: Store }): Promise<UserView[]> {
  const groups = new Map((await listGroups(store)).map((group) => [group.id, group]));
  const views: UserView[] = [];
  let page: User[] = [];
  do {
    page = await listPage(store, { after: page.at(-1)?.usernameCanonical ?? null, limit: PAGE_SIZE });
    const further = await listFurtherGroups(
      store,
      page.map(({ id }) => id),
    );
    for (const user of page) {
      const group = groups.get(user.groupId ?? "") ?? null;
      views.push(userView(user, { group, furtherGroups: further.get(user.id) ?? [] }));
    }
  } while (page.length === PAGE_SIZE);
  return views;
}
