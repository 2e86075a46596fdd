import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import { findSettingsUser } from "#app/domain/access/grant.server.ts";

/** The data that users may change beside password and user name. */
export type OwnProfile = Pick<User, "displayName" | "givenName" | "familyName" | "email" | "emailVerified" | "phone">;

/** Returns the profile of the user in the settings; null if the access ended meanwhile. */
export async function findOwnProfile(
  { store }: { store: Store },
  access: Pick<SettingsAccess, "userId" | "generation">,
): Promise<OwnProfile | null> {
  const user = await findSettingsUser(store, access);
  if (!user) return null;
  const { displayName, givenName, familyName, email, emailVerified, phone } = user;
  return { displayName, givenName, familyName, email, emailVerified, phone };
}
