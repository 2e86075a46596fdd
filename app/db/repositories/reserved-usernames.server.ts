import { eq, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import type { Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Reserves the user name of a removed user. Does nothing if it is reserved already. */
export async function reserveUsername(store: Store, row: Tables["reservedUsernames"]["$inferInsert"]): Promise<void> {
  await store.q.insert(store.t.reservedUsernames).values(row).onConflictDoNothing();
}

const reservedStatement = prepared(({ q, t: { reservedUsernames } }) =>
  q
    .select({ userId: reservedUsernames.userId })
    .from(reservedUsernames)
    .where(eq(reservedUsernames.usernameCanonical, sql.placeholder("canonical")))
    .prepare(),
);

/** Returns true if a removed user had this canonical user name. */
export async function isReservedUsername(store: Store, canonical: string): Promise<boolean> {
  return (await reservedStatement(store).execute({ canonical })).length > 0;
}
