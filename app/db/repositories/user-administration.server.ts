import { eq, sql } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/**
 * Removes the user and all rows that reference it: factors, external accounts, consents, links, known browsers, page
 * sessions. Engine records must be removed separately. Returns false if the user does not exist.
 */
export async function removeUser(store: Store, id: string): Promise<boolean> {
  const { users } = store.t;
  const removed = await store.q.delete(users).where(eq(users.id, id)).returning({ id: users.id });
  return removed.length === 1;
}

/** Invalidates all sessions and tokens by incrementing the generation. Returns false if the user does not exist. */
export async function invalidateSessions(store: Store, id: string, now: Date): Promise<boolean> {
  const { users } = store.t;
  const updated = await store.q
    .update(users)
    .set({ generation: sql`${users.generation} + 1`, updatedAt: now })
    .where(eq(users.id, id))
    .returning({ id: users.id });
  return updated.length === 1;
}

/**
 * Moves a user's external accounts to another group (null: none). An identity that has an account in that group already
 * is a unique violation (`store.isUnique`).
 */
export async function moveExternalAccounts(store: Store, userId: string, groupId: string | null): Promise<void> {
  const { externalAccounts } = store.t;
  await store.q
    .update(externalAccounts)
    .set({ groupKey: groupId ?? "" })
    .where(eq(externalAccounts.userId, userId));
}
