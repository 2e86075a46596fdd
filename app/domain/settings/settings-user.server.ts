import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsAccess } from "./access.ts";

/** Returns the current row of the user in the settings; null if the access ended meanwhile. */
export async function findSettingsUser(
  store: Store,
  { userId, generation }: Pick<SettingsAccess, "userId" | "generation">,
): Promise<User | null> {
  const user = await findUser(store, userId);
  return user?.status === "active" && user.generation === generation ? user : null;
}
