import { and, eq, sql } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/**
 * Increments the user's generation, which invalidates every session and token of the former one. Only from generation
 * `expected` (null: from any) and for an active user: of concurrent calls one wins. Returns the new generation, or null.
 */
export async function incrementGeneration(
  store: Store,
  userId: string,
  { expected, now }: { expected: number | null; now: Date },
): Promise<number | null> {
  const { users } = store.t;
  const [incremented] = await store.q
    .update(users)
    .set({ generation: sql`${users.generation} + 1`, updatedAt: now })
    .where(
      and(
        eq(users.id, userId),
        expected === null ? undefined : eq(users.generation, expected),
        eq(users.status, "active"),
      ),
    )
    .returning({ generation: users.generation });
  return incremented?.generation ?? null;
}

/**
 * Locks the user's generation until the transaction ends. Returns false if it has changed, or the user is not active.
 */
export async function lockGeneration(store: Store, userId: string, generation: number): Promise<boolean> {
  const { users } = store.t;
  const locked = await store.q
    .update(users)
    .set({ generation })
    .where(and(eq(users.id, userId), eq(users.generation, generation), eq(users.status, "active")))
    .returning({ id: users.id });
  return locked.length === 1;
}
