import { aliasedTable, and, eq, exists, lte, ne, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored, getOnly } from "#app/db/rows.server.ts";
import type { KnownBrowser, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { isInSlice, type UserSlice } from "./user-slices.server.ts";
import { byLoginName, chooseByLoginName, hasLoginName } from "./users.server.ts";

const withUserStatement = prepared(({ q, t: { users, knownBrowsers } }) =>
  q
    .select({ user: users, browser: knownBrowsers })
    .from(users)
    .leftJoin(
      knownBrowsers,
      and(eq(knownBrowsers.userId, users.id), eq(knownBrowsers.browserHash, sql.placeholder("browserHash"))),
    )
    .where(eq(users.usernameCanonical, sql.placeholder("canonical")))
    .prepare(),
);

const withNameOrEmailStatement = prepared((store) => {
  const { users, knownBrowsers } = store.t;
  const { userId, browserHash } = knownBrowsers;
  return store.q
    .select({ user: users, browser: knownBrowsers })
    .from(users)
    .leftJoin(knownBrowsers, and(eq(userId, users.id), eq(browserHash, sql.placeholder("browserHash"))))
    .where(hasLoginName(store))
    .orderBy(byLoginName(store))
    .limit(2)
    .prepare();
});

/**
 * Returns the user as `findUserByLoginName` does, and the browser if this user has completed a sign-in in it. Runs one
 * statement, for unknown names too; which one depends on what is typed alone.
 */
export async function findUserInBrowser(
  store: Store,
  { canonical, email, browserHash }: { canonical: string; email: string | null; browserHash: string },
): Promise<{ user: User | null; browser: KnownBrowser | null }> {
  if (email === null || cannotBeStored(email)) {
    const name = cannotBeStored(canonical) ? "" : canonical;
    const [found] = await withUserStatement(store).execute({ canonical: name, browserHash });
    return found ?? { user: null, browser: null };
  }
  const rows = await withNameOrEmailStatement(store).execute({ canonical, email, browserHash });
  return chooseByLoginName(rows, canonical) ?? { user: null, browser: null };
}

const rememberStatement = prepared(({ q, t: { knownBrowsers } }) =>
  q
    .insert(knownBrowsers)
    .values({
      userId: sql.placeholder("userId"),
      browserHash: sql.placeholder("browserHash"),
      firstSeenAt: sql`${sql.placeholder("now")}`,
      lastSeenAt: sql`${sql.placeholder("now")}`,
    })
    .onConflictDoUpdate({
      target: [knownBrowsers.userId, knownBrowsers.browserHash],
      set: { lastSeenAt: sql`excluded.last_seen_at` },
    })
    .returning()
    .prepare(),
);

/** Records a completed sign-in in this browser. At the first one, `firstSeenAt` of the result equals `now`. */
export async function rememberBrowser(
  store: Store,
  { userId, browserHash, now }: { userId: string; browserHash: string; now: Date },
): Promise<KnownBrowser> {
  const at = encoded(store.t.knownBrowsers.lastSeenAt, now);
  return getOnly(await rememberStatement(store).execute({ userId, browserHash, now: at }));
}

const othersStatement = prepared(({ q, t: { knownBrowsers } }) =>
  q
    .select({ userId: knownBrowsers.userId })
    .from(knownBrowsers)
    .where(
      and(
        eq(knownBrowsers.userId, sql.placeholder("userId")),
        ne(knownBrowsers.browserHash, sql.placeholder("browserHash")),
      ),
    )
    .limit(1)
    .prepare(),
);

/** Returns true if the user has completed a sign-in in another browser. */
export async function hasOtherBrowser(
  store: Store,
  { userId, browserHash }: { userId: string; browserHash: string },
): Promise<boolean> {
  const found = await othersStatement(store).execute({ userId, browserHash });
  return found.length > 0;
}

/** Deletes all known browsers of the user. */
export async function removeKnownBrowsers(store: Store, userId: string): Promise<void> {
  await store.q.delete(store.t.knownBrowsers).where(eq(store.t.knownBrowsers.userId, userId));
}

/** Returns the hashes of all browsers in which the user has completed a sign-in. */
export async function listBrowserHashes(store: Store, userId: string): Promise<string[]> {
  const { knownBrowsers } = store.t;
  const rows = await store.q
    .select({ browserHash: knownBrowsers.browserHash })
    .from(knownBrowsers)
    .where(eq(knownBrowsers.userId, userId));
  return rows.map(({ browserHash }) => browserHash);
}

/**
 * Removes up to `batchSize` browsers of the users in `slice` that were last seen at or before `before`, except each user's
 * latest. Returns how many.
 */
export async function removeExpiredBrowsers(
  store: Store,
  { slice, before, batchSize }: { slice: UserSlice; before: Date; batchSize: number },
): Promise<number> {
  const { knownBrowsers } = store.t;
  const { userId, browserHash, lastSeenAt } = knownBrowsers;
  const newer = aliasedTable(knownBrowsers, "newer");
  const isNewer = sql`(${newer.lastSeenAt}, ${newer.browserHash}) > (${lastSeenAt}, ${browserHash})`;
  const anyNewer = store.q
    .select({ userId: newer.userId })
    .from(newer)
    .where(and(eq(newer.userId, userId), isNewer));
  const batch = store.q
    .select({ userId, browserHash })
    .from(knownBrowsers)
    .where(and(isInSlice(userId, slice), lte(lastSeenAt, before), exists(anyNewer)))
    .limit(batchSize);
  const removed = await store.q
    .delete(knownBrowsers)
    .where(sql`(${userId}, ${browserHash}) in ${batch}`)
    .returning({ userId });
  return removed.length;
}
