import { and, eq, gt, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { only } from "#app/db/rows.server.ts";
import type { RateLimit } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Points for a counter that lives `durationMs` from `now`; null = for ever. */
export type RatePoints = { key: string; points: number; durationMs: number | null; now: Date };

const add = prepared(({ q, t: { rateLimits } }) => {
  const isOver = sql`${rateLimits.expiresAt} <= ${sql.placeholder("now")}`;
  return q
    .insert(rateLimits)
    .values({
      key: sql.placeholder("key"),
      points: sql.placeholder("points"),
      expiresAt: sql`${sql.placeholder("expiresAt")}`,
    })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        points: sql`case when ${isOver} then excluded.points else ${rateLimits.points} + excluded.points end`,
        expiresAt: sql`case when ${isOver} then excluded.expires_at else ${rateLimits.expiresAt} end`,
      },
    })
    .returning()
    .prepare();
});

/**
 * Adds points to the counter, whose time stays, or starts it anew when its time is over. One statement: no point is
 * lost among callers at once.
 */
export async function addRatePoints(store: Store, added: RatePoints): Promise<RateLimit> {
  const { key, points, expiresAt } = rowOf(added);
  const time = store.t.rateLimits.expiresAt;
  const values = { key, points, expiresAt: encoded(time, expiresAt), now: encoded(time, added.now) };
  return only(await add(store).execute(values));
}

/** Sets the counter to these points and this time, whatever it was. */
export async function setRatePoints(store: Store, wanted: RatePoints): Promise<RateLimit> {
  const { rateLimits } = store.t;
  const { points, expiresAt } = rowOf(wanted);
  const rows = await store.q
    .insert(rateLimits)
    .values({ key: wanted.key, points, expiresAt })
    .onConflictDoUpdate({ target: rateLimits.key, set: { points, expiresAt } })
    .returning();
  return only(rows);
}

function rowOf({ key, points, durationMs, now }: RatePoints): RateLimit {
  return { key, points, expiresAt: durationMs === null ? null : new Date(now.getTime() + durationMs) };
}

/** The counter, unless its time is over. */
export async function findRateLimit(store: Store, key: string, now: Date): Promise<RateLimit | null> {
  const { rateLimits } = store.t;
  const isLive = or(isNull(rateLimits.expiresAt), gt(rateLimits.expiresAt, now));
  const [counter] = await store.q
    .select()
    .from(rateLimits)
    .where(and(eq(rateLimits.key, key), isLive));
  return counter ?? null;
}

const remove = prepared(({ q, t: { rateLimits } }) =>
  q
    .delete(rateLimits)
    .where(eq(rateLimits.key, sql.placeholder("key")))
    .returning({ key: rateLimits.key })
    .prepare(),
);

/** Forgets the counter. False when there was none. */
export async function removeRateLimit(store: Store, key: string): Promise<boolean> {
  const removed = await remove(store).execute({ key });
  return removed.length === 1;
}

/** Removes at most `batchSize` counters whose time was over at `before`. Answers how many. */
export async function removeExpiredRateLimits(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { rateLimits } = store.t;
  const batch = store.q
    .select({ key: rateLimits.key })
    .from(rateLimits)
    .where(lte(rateLimits.expiresAt, before))
    .limit(batchSize);
  const removed = await store.q
    .delete(rateLimits)
    .where(inArray(rateLimits.key, batch))
    .returning({ key: rateLimits.key });
  return removed.length;
}
