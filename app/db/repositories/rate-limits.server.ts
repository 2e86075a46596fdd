import { eq, inArray, lte, sql } from "drizzle-orm";
import { encoded, prepared, preparedByLength } from "#app/db/prepared.server.ts";
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
  const { expiresAt } = store.t.rateLimits;
  const values: Record<string, unknown> = { now: encoded(expiresAt, now) };
  for (const [index, { key, points, durationMs }] of added.entries()) {
    values[`key${index}`] = key;
    values[`points${index}`] = points;
    const end = durationMs === null ? null : new Date(now.getTime() + durationMs);
    values[`expiresAt${index}`] = encoded(expiresAt, end);
  }
  const rows = await addStatement(store, added.length).execute(values);
  return added.map(({ key }) => getOnly(rows.filter((row) => row.key === key)));
}

const addStatement = preparedByLength(({ q, t: { rateLimits } }, length) => {
  const value = (name: string) => sql`${sql.placeholder(name)}`;
  const isExpired = lte(rateLimits.expiresAt, sql.placeholder("now"));
  return q
    .insert(rateLimits)
    .values(
      Array.from({ length }, (_, index) => ({
        key: value(`key${index}`),
        points: value(`points${index}`),
        expiresAt: value(`expiresAt${index}`),
      })),
    )
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        points: sql`case when ${isExpired} then excluded.points else ${rateLimits.points} + excluded.points end`,
        expiresAt: sql`case when ${isExpired} then excluded.expires_at else ${rateLimits.expiresAt} end`,
      },
    })
    .returning()
    .prepare();
});

/** Returns the counters in the order of their keys, with one statement; null for one that has expired. */
export async function findRateLimits(store: Store, keys: readonly string[], now: Date): Promise<(RateLimit | null)[]> {
  const values = Object.fromEntries(keys.map((key, index) => [`key${index}`, key]));
  const rows = await findStatement(store, keys.length).execute(values);
  const current = rows.filter(({ expiresAt }) => !expiresAt || expiresAt > now);
  return keys.map((key) => current.find((row) => row.key === key) ?? null);
}

const findStatement = preparedByLength(({ q, t: { rateLimits } }, length) => {
  const keys = Array.from({ length }, (_, index) => sql.placeholder(`key${index}`));
  return q.select().from(rateLimits).where(inArray(rateLimits.key, keys)).prepare();
});

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
