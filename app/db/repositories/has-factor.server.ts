import { and, eq, or, sql } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/**
 * Stores that the user has a second factor. Call it in the transaction that adds one. The column repeats what the tables
 * of factors contain, because the list of people cannot look there for each of 100,000 users.
 */
export async function storeHasFactor(store: Store, userId: string): Promise<void> {
  const { users } = store.t;
  await store.q.update(users).set({ hasFactor: true }).where(eq(users.id, userId));
}

/**
 * Runs `remove`, which removes second factors of the user, and stores whether one is left. Call it in a transaction. The
 * row of the user is locked before: of two simultaneous removals, the second one then sees the first.
 */
export async function withoutFactors<T>(store: Store, userId: string, remove: () => Promise<T>): Promise<T> {
  const { users, totpCredentials, webauthnCredentials } = store.t;
  await store.q.update(users).set({ hasFactor: false }).where(eq(users.id, userId));
  const removed = await remove();
  const isLeft = or(
    sql`exists (select 1 from ${totpCredentials} where ${totpCredentials.userId} = ${userId})`,
    sql`exists (select 1 from ${webauthnCredentials} where ${webauthnCredentials.userId} = ${userId})`,
  );
  await store.q
    .update(users)
    .set({ hasFactor: true })
    .where(and(eq(users.id, userId), isLeft));
  return removed;
}
