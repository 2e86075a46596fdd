import { findUser } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsAccess } from "./access.ts";

/** The account whose settings are open, as its pages name it. `picture`: an address, null without one. */
export type SettingsAccount = {
  userId: string;
  username: string;
  displayName: string;
  picture: string | null;
  passwordSetAt: Date | null;
};

/** The account of somebody who is in the settings. Throws when the user was removed at this very moment. */
export async function findSettingsAccount(
  { store }: { store: Store },
  { userId }: Pick<SettingsAccess, "userId">,
): Promise<SettingsAccount> {
  const user = await findUser(store, userId);
  if (!user) throw new Error("the user of these settings is gone");
  const { username, displayName, picture, passwordSetAt } = user;
  return { userId, username, displayName, picture, passwordSetAt };
}
