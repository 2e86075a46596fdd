import { and, eq, gt, inArray, lte, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import type { ManageChain, NewManageChain } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Begins a chain. False when there is one of this id already: of many at once one wins. */
export async function insertManageChain(store: Store, chain: NewManageChain): Promise<boolean> {
  const { manageChains } = store.t;
  const inserted = await store.q
    .insert(manageChains)
    .values(chain)
    .onConflictDoNothing()
    .returning({ id: manageChains.id });
  return inserted.length === 1;
}

const advance = prepared(({ q, t: { manageChains } }) =>
  q
    .update(manageChains)
    .set({ counter: sql`${manageChains.counter} + 1`, lastUsedAt: sql`${sql.placeholder("now")}` })
    .where(
      and(
        eq(manageChains.id, sql.placeholder("id")),
        eq(manageChains.counter, sql.placeholder("counter")),
        gt(manageChains.lastUsedAt, sql.placeholder("usedAfter")),
        gt(manageChains.expiresAt, sql.placeholder("at")),
      ),
    )
    .returning()
    .prepare(),
);

/**
 * Spends the token with this number and makes the next one count. One statement: of many at once one wins. Null when
 * another number counts, the chain was not used after `usedAfter`, or its time is over.
 */
export async function advanceManageChain(
  store: Store,
  { id, counter, now, usedAfter }: { id: string; counter: number; now: Date; usedAfter: Date },
): Promise<ManageChain | null> {
  const { lastUsedAt } = store.t.manageChains;
  const at = encoded(lastUsedAt, now);
  const [chain] = await advance(store).execute({ id, counter, now: at, at, usedAfter: encoded(lastUsedAt, usedAfter) });
  return chain ?? null;
}

/** The chain with this id, also one whose time is over; null without one. */
export async function findManageChain(store: Store, id: string): Promise<ManageChain | null> {
  const { manageChains } = store.t;
  const [chain] = await store.q.select().from(manageChains).where(eq(manageChains.id, id));
  return chain ?? null;
}

/** Removes at most `batchSize` chains whose time was over at `before`. Answers how many. */
export async function removeExpiredManageChains(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { manageChains } = store.t;
  const batch = store.q
    .select({ id: manageChains.id })
    .from(manageChains)
    .where(lte(manageChains.expiresAt, before))
    .limit(batchSize);
  const removed = await store.q
    .delete(manageChains)
    .where(inArray(manageChains.id, batch))
    .returning({ id: manageChains.id });
  return removed.length;
}
