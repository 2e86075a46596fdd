import { and, eq, gt, lte, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import { removeRows } from "#app/db/rows.server.ts";
import type { ManageSession, NewManageSession } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Stores a page session of the settings. */
export async function insertManageSession(store: Store, session: NewManageSession): Promise<void> {
  await store.q.insert(store.t.manageSessions).values(session);
}

const byHashStatement = prepared(({ q, t: { manageSessions } }) =>
  q
    .select()
    .from(manageSessions)
    .where(eq(manageSessions.tokenHash, sql.placeholder("tokenHash")))
    .prepare(),
);

/** Returns the page session with this hash, even if expired. */
export async function findManageSession(store: Store, tokenHash: string): Promise<ManageSession | null> {
  const [session] = await byHashStatement(store).execute({ tokenHash });
  return session ?? null;
}

/** Sets the last use of the page session to `now`, unless it is later than `before`. */
export async function touchManageSession(
  store: Store,
  tokenHash: string,
  { now, before }: { now: Date; before: Date },
): Promise<void> {
  const { manageSessions } = store.t;
  await store.q
    .update(manageSessions)
    .set({ lastUsedAt: now })
    .where(and(eq(manageSessions.tokenHash, tokenHash), lte(manageSessions.lastUsedAt, before)));
}

/**
 * Removes a page session that is not expired, and its chains, and returns it. Null unless it belongs to this user and
 * generation: of several simultaneous calls, one gets it.
 */
export async function consumeManageSession(
  store: Store,
  { tokenHash, userId, generation, now }: { tokenHash: string; userId: string; generation: number; now: Date },
): Promise<ManageSession | null> {
  const { manageSessions } = store.t;
  const [session] = await store.q
    .delete(manageSessions)
    .where(
      and(
        eq(manageSessions.tokenHash, tokenHash),
        eq(manageSessions.userId, userId),
        eq(manageSessions.generation, generation),
        gt(manageSessions.expiresAt, now),
      ),
    )
    .returning();
  return session ?? null;
}

/** Removes the page session and its chains. */
export async function removeManageSession(store: Store, tokenHash: string): Promise<void> {
  const { manageSessions } = store.t;
  await store.q.delete(manageSessions).where(eq(manageSessions.tokenHash, tokenHash));
}

/** Removes at most `batchSize` page sessions that expired at or before `before`. Returns how many. */
export async function removeExpiredManageSessions(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { manageSessions: table } = store.t;
  return removeRows(store, { table, key: table.tokenHash, where: lte(table.expiresAt, before), batchSize });
}
