import { eq, inArray, lte, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import { getOnly, removeRows } from "#app/db/rows.server.ts";
import type { RateLimit } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Points for a counter that expires `durationMs` after `now`; null: never. */
type RatePoints = { key: string; points: number; durationMs: number | null; now: Date };

/** Adds points to the counter, or restarts it if it has expired. One statement: no concurrent update is lost. */
export async function addRatePoints(store: Store, added: RatePoints): Promise<RateLimit> {
  return getOnly(await addAllRatePoints(store, [added], added.now));
}

/** Adds to different counters in one statement, like `addRatePoints`. Returns them in the same order. */
export async function addAllRatePoints(
  store: Store,
  added: readonly Omit<RatePoints, "now">[],
  now: Date,
): Promise<RateLimit[]> {
  const { rateLimits } = store.t;
  const isExpired = lte(rateLimits.expiresAt, now);
  const rows = await store.q
    .insert(rateLimits)
    .values(added.map((counter) => rowOf({ ...counter, now })))
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        points: sql`case when ${isExpired} then excluded.points else ${rateLimits.points} + excluded.points end`,
        expiresAt: sql`case when ${isExpired} then excluded.expires_at else ${rateLimits.expiresAt} end`,
      },
    })
    .returning();
  return added.map(({ key }) => getOnly(rows.filter((row) => row.key === key)));
}

function rowOf({ key, points, durationMs, now }: RatePoints): RateLimit {
  return { key, points, expiresAt: durationMs === null ? null : new Date(now.getTime() + durationMs) };
}

/** Returns the counters in the order of their keys, with one statement; null for one that has expired. */
export async function findRateLimits(store: Store, keys: readonly string[], now: Date): Promise<(RateLimit | null)[]> {
  const { rateLimits } = store.t;
  const rows = await store.q
    .select()
    .from(rateLimits)
    .where(inArray(rateLimits.key, [...keys]));
  const current = rows.filter(({ expiresAt }) => !expiresAt || expiresAt > now);
  return keys.map((key) => current.find((row) => row.key === key) ?? null);
}

const removeStatement = prepared(({ q, t: { rateLimits } }) =>
  q
    .delete(rateLimits)
    .where(eq(rateLimits.key, sql.placeholder("key")))
    .returning({ key: rateLimits.key })
    .prepare(),
);

/** Removes the counter. Returns false if there was none. */
export async function removeRateLimit(store: Store, key: string): Promise<boolean> {
  const removed = await removeStatement(store).execute({ key });
  return removed.length === 1;
}

/** Removes at most `batchSize` counters that expired at or before `before`. Returns how many. */
export async function removeExpiredRateLimits(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { rateLimits: table } = store.t;
  return removeRows(store, { table, key: table.key, where: lte(table.expiresAt, before), batchSize });
}
