import { and, eq } from "drizzle-orm";
import { only } from "#app/db/rows.server.ts";
import type { KnownBrowser } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** The browser, when this user finished a sign-in in it before. */
export async function findKnownBrowser(
  store: Store,
  userId: string,
  browserHash: string,
): Promise<KnownBrowser | null> {
  const { knownBrowsers } = store.t;
  const [browser] = await store.q
    .select()
    .from(knownBrowsers)
    .where(and(eq(knownBrowsers.userId, userId), eq(knownBrowsers.browserHash, browserHash)));
  return browser ?? null;
}

/**
 * Notes that the user finished a sign-in in this browser. In the answer firstSeenAt equals `now` when it was the first
 * time.
 */
export async function rememberBrowser(
  store: Store,
  { userId, browserHash, now }: { userId: string; browserHash: string; now: Date },
): Promise<KnownBrowser> {
  const { knownBrowsers } = store.t;
  const rows = await store.q
    .insert(knownBrowsers)
    .values({ userId, browserHash, firstSeenAt: now, lastSeenAt: now })
    .onConflictDoUpdate({ target: [knownBrowsers.userId, knownBrowsers.browserHash], set: { lastSeenAt: now } })
    .returning();
  return only(rows);
}

/** Forgets all browsers of the user. */
export async function forgetBrowsers(store: Store, userId: string): Promise<void> {
  await store.q.delete(store.t.knownBrowsers).where(eq(store.t.knownBrowsers.userId, userId));
}
