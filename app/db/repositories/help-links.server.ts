import { and, desc, eq, gt, isNull, lte } from "drizzle-orm";
import { cannotBeStored, removeRows } from "#app/db/rows.server.ts";
import type { HelpKind, Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { TokenHash } from "#app/ports.ts";

/** Help that was given to a user who cannot sign in. */
export type HelpLink = Tables["helpLinks"]["$inferSelect"];

/** Stores new help, or help that is used already. */
export async function addHelpLink(
  store: Store,
  link: Omit<HelpLink, "usedAt" | "withdrawnAt"> & { usedAt?: Date },
): Promise<void> {
  await store.q.insert(store.t.helpLinks).values(link);
}

/** Returns the help with this id, in any state. */
export async function findHelpLink(store: Store, id: string): Promise<HelpLink | null> {
  if (cannotBeStored(id)) return null;
  const { helpLinks } = store.t;
  const [link] = await store.q.select().from(helpLinks).where(eq(helpLinks.id, id));
  return link ?? null;
}

/** Returns the help of a link's token, in any state. */
export async function findHelpLinkOfToken(store: Store, tokenHash: TokenHash): Promise<HelpLink | null> {
  const { helpLinks } = store.t;
  const [link] = await store.q.select().from(helpLinks).where(eq(helpLinks.tokenHash, tokenHash));
  return link ?? null;
}

/** Returns all stored help of a user, the newest first. The clean-up removes it two days after it was given. */
export async function listHelpLinks(store: Store, userId: string): Promise<HelpLink[]> {
  const { helpLinks } = store.t;
  return store.q
    .select()
    .from(helpLinks)
    .where(eq(helpLinks.userId, userId))
    .orderBy(desc(helpLinks.createdAt), desc(helpLinks.id));
}

/** Help as presented: the kind is checked again by the statement that consumes it. */
type PresentedHelp = { id: string; userId: string; kind: HelpKind; generation: number; now: Date };

/** Consumes help. One statement: of concurrent calls one returns true. False if it is used, withdrawn or expired. */
export async function consumeHelpLink(
  store: Store,
  { id, userId, kind, generation, now }: PresentedHelp,
): Promise<boolean> {
  const { helpLinks } = store.t;
  const consumed = await store.q
    .update(helpLinks)
    .set({ usedAt: now })
    .where(
      and(
        eq(helpLinks.id, id),
        eq(helpLinks.userId, userId),
        eq(helpLinks.kind, kind),
        eq(helpLinks.generation, generation),
        isOpen(helpLinks, now),
      ),
    )
    .returning({ id: helpLinks.id });
  return consumed.length === 1;
}

/** Withdraws the open help of a user. Returns the withdrawn rows; empty if none was open. */
export async function withdrawHelpLinks(store: Store, userId: string, now: Date): Promise<HelpLink[]> {
  const { helpLinks } = store.t;
  return store.q
    .update(helpLinks)
    .set({ withdrawnAt: now })
    .where(and(eq(helpLinks.userId, userId), isOpen(helpLinks, now)))
    .returning();
}

function isOpen(helpLinks: Tables["helpLinks"], now: Date) {
  return and(isNull(helpLinks.usedAt), isNull(helpLinks.withdrawnAt), gt(helpLinks.expiresAt, now));
}

/** Removes at most `batchSize` help links that were created at or before `before`. Returns how many. */
export async function removeOldHelpLinks(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { helpLinks: table } = store.t;
  return removeRows(store, { table, key: table.id, where: lte(table.createdAt, before), batchSize });
}
