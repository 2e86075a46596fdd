import { lte } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/** How many rows of all tables had run out at that time, and should be gone. */
export async function countExpired(store: Store, before: Date): Promise<number> {
  const { oidcRecords, oneTimeTokens, rateLimits, manageSessions, manageChains } = store.t;
  const counts = await Promise.all(
    [oidcRecords, oneTimeTokens, rateLimits, manageSessions, manageChains].map((table) =>
      store.q.$count(table, lte(table.expiresAt, before)),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
