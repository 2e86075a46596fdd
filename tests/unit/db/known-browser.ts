import { and, eq } from "drizzle-orm";
import type { KnownBrowser } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Reads the row of a user and a browser. */
export async function findKnownBrowser(
  { q, t: { knownBrowsers } }: Store,
  userId: string,
  browserHash: string,
): Promise<KnownBrowser | null> {
  const isBoth = and(eq(knownBrowsers.userId, userId), eq(knownBrowsers.browserHash, browserHash));
  const [row] = await q.select().from(knownBrowsers).where(isBoth);
  return row ?? null;
}
