import { findGroup } from "#app/db/repositories/groups.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { getUserByName } from "./get.server.ts";
import { type UserView, userView } from "./view.server.ts";

/** One user, found by name. Throws DomainError "user not found". */
export async function showUser({ store }: { store: Store }, username: string): Promise<UserView> {
  const user = await getUserByName(store, username);
  return userView(user, user.groupId === null ? null : await findGroup(store, user.groupId));
}
