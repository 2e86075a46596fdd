import { lte } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/** Returns the number of rows in all tables that expired at or before `before`. */
export async function countExpired(store: Store, before: Date): Promise<number> {
  const { oidcRecords, oneTimeTokens, rateLimits, manageSessions, manageChains, rememberedDevices } = store.t;
  const counts = await Promise.all(
    [oidcRecords, oneTimeTokens, rateLimits, manageSessions, manageChains, rememberedDevices].map((table) =>
      store.q.$count(table, lte(table.expiresAt, before)),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
