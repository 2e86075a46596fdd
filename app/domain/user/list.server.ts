import { listGroups } from "#app/db/repositories/groups.server.ts";
import { listUsers as listPage } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type UserView, userView } from "./view.server.ts";

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
