import { lte } from "drizzle-orm";
import { removeRows } from "#app/db/rows.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Removes at most `batchSize` help links that were created at or before `before`. Returns how many. */
export async function removeOldHelpLinks(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { helpLinks: table } = store.t;
  return removeRows(store, { table, key: table.id, where: lte(table.createdAt, before), batchSize });
}
