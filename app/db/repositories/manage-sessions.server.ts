import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import type { ManageSession, NewManageSession } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Stores a page session of the settings. */
export async function insertManageSession(store: Store, session: NewManageSession): Promise<void> {
  await store.q.insert(store.t.manageSessions).values(session);
}

const byHash = prepared(({ q, t: { manageSessions } }) =>
  q
    .select()
    .from(manageSessions)
    .where(eq(manageSessions.tokenHash, sql.placeholder("tokenHash")))
    .prepare(),
);

/** The page session with this hash, also one whose time is over: what that means is the domain's to say. */
export async function findManageSession(store: Store, tokenHash: string): Promise<ManageSession | null> {
  const [session] = await byHash(store).execute({ tokenHash });
  return session ?? null;
}

/** Notes that the page session was used at `now`, unless that was noted after `before`. */
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

/** Removes the page session and the chains that it carries. */
export async function removeManageSession(store: Store, tokenHash: string): Promise<void> {
  const { manageSessions } = store.t;
  await store.q.delete(manageSessions).where(eq(manageSessions.tokenHash, tokenHash));
}

/** Removes at most `batchSize` page sessions whose time was over at `before`. Answers how many. */
export async function removeExpiredManageSessions(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { manageSessions } = store.t;
  const batch = store.q
    .select({ tokenHash: manageSessions.tokenHash })
    .from(manageSessions)
    .where(lte(manageSessions.expiresAt, before))
    .limit(batchSize);
  const removed = await store.q
    .delete(manageSessions)
    .where(inArray(manageSessions.tokenHash, batch))
    .returning({ tokenHash: manageSessions.tokenHash });
  return removed.length;
}
