import { and, asc, gt, lte, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Store } from "#app/db/store.server.ts";

/** The users whose ids are greater than `after` and at most `through`; null: without this bound. */
export type UserSlice = { after: string | null; through: string | null };

/**
 * Yields slices of about `size` users, which cover all ids together, also those of users that are added meanwhile. For
 * tables without an index that finds the rows: SQLite runs nothing else while it scans one, so scan one slice at a time.
 */
export async function* userSlices(store: Store, size: number): AsyncGenerator<UserSlice> {
  const { users } = store.t;
  for (let after: string | null = null; ; ) {
    const [last] = await store.q
      .select({ id: users.id })
      .from(users)
      .where(after === null ? undefined : gt(users.id, after))
      .orderBy(asc(users.id))
      .limit(1)
      .offset(size - 1);
    const through: string | null = last?.id ?? null;
    yield { after, through };
    if (through === null) return;
    after = through;
  }
}

/** The condition that the user in this column belongs to the slice. */
export function isInSlice(userId: SQLiteColumn, { after, through }: UserSlice): SQL | undefined {
  return and(after === null ? undefined : gt(userId, after), through === null ? undefined : lte(userId, through));
}
