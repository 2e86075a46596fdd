import type { Config } from "#app/config/config.ts";
import { listGroupsOfUser } from "#app/db/repositories/group-members.server.ts";
import type { Store } from "#app/db/store.server.ts";

/**
 * Returns whom a user asks for access: the contact of the home group, else of the first further group that has one, else
 * SUPPORT_CONTACT. An e-mail address, a web address or a sentence; null if none is known.
 */
export async function findContact(
  { store, config }: { store: Store; config: Pick<Config, "supportContact"> },
  userId: string,
): Promise<string | null> {
  const groups = await listGroupsOfUser(store, userId);
  return groups.find(({ contact }) => contact !== null)?.contact ?? config.supportContact;
}
