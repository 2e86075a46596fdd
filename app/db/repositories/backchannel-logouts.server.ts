import { and, asc, count, eq, gte, inArray, isNotNull, isNull, lte, min, or, sql } from "drizzle-orm";
import { removeRows } from "#app/db/rows.server.ts";
import type { BackchannelLogout, Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** A session of a user at one client. */
export type ClientSession = { clientId: string; userId: string; sid: string };

/** Rows in one statement: far below the parameter limits of both databases. */
const BATCH = 500;

/**
 * Queues a logout for each session whose client has a back-channel logout URI. `sid` is unique per client and session and
 * is the id of the row: a logout that still waits is not queued again, one that was sent or given up is, because a
 * request that ran meanwhile may have used the session at the client. Call it in the transaction that ends the sessions.
 */
export async function addBackchannelLogouts(
  store: Store,
  sessions: readonly ClientSession[],
  now: Date,
): Promise<void> {
  if (sessions.length === 0) return;
  const { clients, backchannelLogouts } = store.t;
  const rows = await store.q.select({ id: clients.id }).from(clients).where(isNotNull(clients.backchannelLogoutUri));
  const receivers = new Set(rows.map(({ id }) => id));
  const queued = sessions.filter(({ clientId }) => receivers.has(clientId));
  for (let start = 0; start < queued.length; start += BATCH) {
    const batch = queued.slice(start, start + BATCH);
    await store.q
      .insert(backchannelLogouts)
      .values(batch.map((session) => ({ ...session, id: session.sid, nextAttemptAt: now, createdAt: now })))
      .onConflictDoUpdate({
        target: backchannelLogouts.id,
        set: { nextAttemptAt: now, createdAt: now, attempts: 0, sentAt: null, failedAt: null, lastError: null },
        setWhere: isNull(backchannelLogouts.nextAttemptAt),
      });
  }
}

/** Returns the ids of at most `limit` logouts that are due and not claimed, longest due first. */
export async function listDueLogoutIds(store: Store, { now, limit }: { now: Date; limit: number }): Promise<string[]> {
  const { backchannelLogouts } = store.t;
  const rows = await store.q
    .select({ id: backchannelLogouts.id })
    .from(backchannelLogouts)
    .where(isDue(backchannelLogouts, now))
    .orderBy(asc(backchannelLogouts.nextAttemptAt))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/**
 * Claims the logouts that are still due and unclaimed, and counts an attempt. One statement: one sender claims each.
 */
export async function claimLogouts(
  store: Store,
  { ids, now, until }: { ids: readonly string[]; now: Date; until: Date },
): Promise<BackchannelLogout[]> {
  const { backchannelLogouts } = store.t;
  return store.q
    .update(backchannelLogouts)
    .set({ claimedUntil: until, attempts: sql`${backchannelLogouts.attempts} + 1` })
    .where(and(inArray(backchannelLogouts.id, [...ids]), isDue(backchannelLogouts, now)))
    .returning();
}

function isDue({ nextAttemptAt, claimedUntil }: Tables["backchannelLogouts"], now: Date) {
  return and(lte(nextAttemptAt, now), or(isNull(claimedUntil), lte(claimedUntil, now)));
}

/** The columns that an attempt changes. A null `nextAttemptAt`: no further attempt. */
type LogoutResult = Pick<BackchannelLogout, "nextAttemptAt"> &
  Partial<Pick<BackchannelLogout, "sentAt" | "failedAt" | "lastError">>;

/** Stores the result of an attempt and releases the claim. */
export async function settleLogout(store: Store, id: string, result: LogoutResult): Promise<void> {
  const { backchannelLogouts } = store.t;
  await store.q
    .update(backchannelLogouts)
    .set({ ...result, claimedUntil: null })
    .where(eq(backchannelLogouts.id, id));
}

/** Counts the waiting logouts and those that failed since `since`; `oldest` is null when none waits. */
export async function countLogouts(
  store: Store,
  { failedSince }: { failedSince: Date },
): Promise<{ waiting: number; oldest: Date | null; failed: number }> {
  const { backchannelLogouts: logouts } = store.t;
  const [row] = await store.q
    .select({ waiting: count(), oldest: min(logouts.createdAt) })
    .from(logouts)
    .where(isNotNull(logouts.nextAttemptAt));
  const failed = await store.q.$count(logouts, gte(logouts.failedAt, failedSince));
  return { waiting: row?.waiting ?? 0, oldest: row?.oldest ?? null, failed };
}

/**
 * Removes at most `batchSize` logouts that were delivered before `sentBefore`, or that failed or were last due before
 * `before`. Returns how many.
 */
export async function removeOldLogouts(
  store: Store,
  { sentBefore, before, batchSize }: { sentBefore: Date; before: Date; batchSize: number },
): Promise<number> {
  const { backchannelLogouts: table } = store.t;
  const where = or(lte(table.sentAt, sentBefore), lte(table.failedAt, before), lte(table.nextAttemptAt, before));
  return removeRows(store, { table, key: table.id, where, batchSize });
}
