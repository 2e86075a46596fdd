import { eq, inArray, lte, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { getOnly, removeRows } from "#app/db/rows.server.ts";
import type { RateLimit } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Points for a counter that expires `durationMs` after `now`; null: never. */
type RatePoints = { key: string; points: number; durationMs: number | null; now: Date };

/** Builds a statement for `count` counters; its values are numbered: key0, points0, expiresAt0, key1 … */
const addStatementOf = (count: number) =>
  prepared(({ q, t: { rateLimits } }) => {
    const isExpired = sql`${rateLimits.expiresAt} <= ${sql.placeholder("now")}`;
    const rows = Array.from({ length: count }, (_, index) => ({
      key: sql.placeholder(`key${index}`),
      points: sql.placeholder(`points${index}`),
      expiresAt: sql`${sql.placeholder(`expiresAt${index}`)}`,
    }));
    return q
      .insert(rateLimits)
      .values(rows)
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

const addStatements = [addStatementOf(1), addStatementOf(2), addStatementOf(3), addStatementOf(4), addStatementOf(5)];

/** Adds points to the counter, or restarts it if it has expired. One statement: no concurrent update is lost. */
export async function addRatePoints(store: Store, added: RatePoints): Promise<RateLimit> {
  return getOnly(await addAllRatePoints(store, [added], added.now));
}

/** Adds to at most five different counters in one statement, like `addRatePoints`. Returns them in the same order. */
export async function addAllRatePoints(
  store: Store,
  added: readonly Omit<RatePoints, "now">[],
  now: Date,
): Promise<RateLimit[]> {
  const add = addStatements[added.length - 1];
  if (!add) throw new Error(`no statement adds to ${added.length} counters`);
  const time = store.t.rateLimits.expiresAt;
  const values: Record<string, unknown> = { now: encoded(time, now) };
  for (const [index, one] of added.entries()) {
    const { key, points, expiresAt } = rowOf({ ...one, now });
    values[`key${index}`] = key;
    values[`points${index}`] = points;
    values[`expiresAt${index}`] = encoded(time, expiresAt);
  }
  const rows = await add(store).execute(values);
  return added.map(({ key }) => getOnly(rows.filter((row) => row.key === key)));
}

function rowOf({ key, points, durationMs, now }: RatePoints): RateLimit {
  return { key, points, expiresAt: durationMs === null ? null : new Date(now.getTime() + durationMs) };
}

/** Builds a statement for `count` counters; its values are numbered: key0, key1 … */
const findStatementOf = (count: number) =>
  prepared(({ q, t: { rateLimits } }) => {
    const keys = Array.from({ length: count }, (_, index) => sql.placeholder(`key${index}`));
    return q.select().from(rateLimits).where(inArray(rateLimits.key, keys)).prepare();
  });

const findStatements = [1, 2, 3, 4, 5, 6, 7, 8].map(findStatementOf);

/** Returns at most eight counters in the order of their keys, with one statement; null for one that has expired. */
export async function findRateLimits(store: Store, keys: readonly string[], now: Date): Promise<(RateLimit | null)[]> {
  const find = findStatements[keys.length - 1];
  if (!find) throw new Error(`no statement finds ${keys.length} counters`);
  const rows = await find(store).execute(Object.fromEntries(keys.map((key, index) => [`key${index}`, key])));
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
