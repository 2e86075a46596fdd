import { listGroups as listGroupRows } from "#app/db/repositories/groups.server.ts";
import type { Group } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Lists all groups, sorted by name. */
export async function listGroups({ store }: { store: Store }): Promise<Group[]> {
  return listGroupRows(store);
}
