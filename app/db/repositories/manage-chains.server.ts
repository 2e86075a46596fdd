import { and, eq, gt, lte, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { removeRows } from "#app/db/rows.server.ts";
import type { ManageChain, NewManageChain } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Creates a chain. Returns false if the id exists; of concurrent calls one returns true. */
export async function insertManageChain(store: Store, chain: NewManageChain): Promise<boolean> {
  const { manageChains } = store.t;
  const inserted = await store.q
    .insert(manageChains)
    .values(chain)
    .onConflictDoNothing()
    .returning({ id: manageChains.id });
  return inserted.length === 1;
}

const advanceStatement = prepared(({ q, t: { manageChains } }) =>
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
 * Uses up the token with this counter and makes the next one valid. One statement: of concurrent calls one wins.
 * Returns null if the counter differs, the chain was last used at or before `usedAfter`, or it has expired.
 */
export async function advanceManageChain(
  store: Store,
  { id, counter, now, usedAfter }: { id: string; counter: number; now: Date; usedAfter: Date },
): Promise<ManageChain | null> {
  const { lastUsedAt } = store.t.manageChains;
  const at = encoded(lastUsedAt, now);
  const [chain] = await advanceStatement(store).execute({
    id,
    counter,
    now: at,
    at,
    usedAfter: encoded(lastUsedAt, usedAfter),
  });
  return chain ?? null;
}

/** Returns the chain with this id, even if expired; null if there is none. */
export async function findManageChain(store: Store, id: string): Promise<ManageChain | null> {
  const { manageChains } = store.t;
  const [chain] = await store.q.select().from(manageChains).where(eq(manageChains.id, id));
  return chain ?? null;
}

/** Removes at most `batchSize` chains that expired at or before `before`. Returns how many. */
export async function removeExpiredManageChains(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { manageChains: table } = store.t;
  return removeRows(store, { table, key: table.id, where: lte(table.expiresAt, before), batchSize });
}
