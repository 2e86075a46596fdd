import { and, eq, inArray, isNull, ne } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/**
 * The access to the settings that made a change: a page session (hash of its cookie), or a chain of API tokens, which
 * may belong to a page session. It stays valid when the change invalidates all other access.
 */
export type SettingsHolder =
  | { kind: "page"; pageSessionHash: string }
  | { kind: "chain"; chainId: string; pageSessionHash: string | null };

/** A move from one generation of a user to the next. */
type GenerationMove = { userId: string; from: number; to: number };

/** Moves a page session with its chains, or the chain of a client, to the new generation, so that it stays valid. */
export async function moveSettingsHolder(store: Store, holder: SettingsHolder, move: GenerationMove): Promise<void> {
  const { manageSessions, manageChains } = store.t;
  const { userId, from, to: generation } = move;
  const { pageSessionHash } = holder;
  if (pageSessionHash !== null) {
    await store.q
      .update(manageSessions)
      .set({ generation })
      .where(
        and(
          eq(manageSessions.tokenHash, pageSessionHash),
          eq(manageSessions.userId, userId),
          eq(manageSessions.generation, from),
        ),
      );
  }
  const isHolder =
    pageSessionHash === null && holder.kind === "chain"
      ? eq(manageChains.id, holder.chainId)
      : eq(manageChains.pageSessionHash, pageSessionHash ?? "");
  await store.q
    .update(manageChains)
    .set({ generation })
    .where(and(isHolder, eq(manageChains.userId, userId), eq(manageChains.generation, from)));
}

/** Moves all page sessions and chains of the user to the new generation. */
export async function moveAllSettings(store: Store, { userId, from, to: generation }: GenerationMove): Promise<void> {
  const { manageSessions, manageChains } = store.t;
  await store.q
    .update(manageSessions)
    .set({ generation })
    .where(and(eq(manageSessions.userId, userId), eq(manageSessions.generation, from)));
  await store.q
    .update(manageChains)
    .set({ generation })
    .where(and(eq(manageChains.userId, userId), eq(manageChains.generation, from)));
}

/** Removes the user's page sessions and chains of every other generation. */
export async function removeOlderSettings(store: Store, userId: string, generation: number): Promise<void> {
  const { manageSessions, manageChains } = store.t;
  await store.q
    .delete(manageChains)
    .where(and(eq(manageChains.userId, userId), ne(manageChains.generation, generation)));
  await store.q
    .delete(manageSessions)
    .where(and(eq(manageSessions.userId, userId), ne(manageSessions.generation, generation)));
}

/** Removes the page sessions and chains that were opened from this engine session. */
export async function removeSettingsOfSession(store: Store, sessionUid: string): Promise<void> {
  const { manageSessions, manageChains } = store.t;
  await store.q.delete(manageChains).where(eq(manageChains.sessionUid, sessionUid));
  await store.q.delete(manageSessions).where(eq(manageSessions.sessionUid, sessionUid));
}

/**
 * Removes the chains of a client and the tokens `t` that it has not used yet. `userIds`: of these users only, at most
 * some hundred. Pages that the client opened stay: they belong to the user's browser.
 */
export async function removeSettingsOfClient(
  store: Store,
  clientId: string,
  userIds?: readonly string[],
): Promise<void> {
  const { manageChains, oneTimeTokens } = store.t;
  const ofUsers = ({ userId }: { userId: typeof manageChains.userId | typeof oneTimeTokens.userId }) =>
    userIds && inArray(userId, [...userIds]);
  await store.q
    .delete(manageChains)
    .where(and(eq(manageChains.clientId, clientId), isNull(manageChains.pageSessionHash), ofUsers(manageChains)));
  await store.q
    .delete(oneTimeTokens)
    .where(and(eq(oneTimeTokens.kind, "settings"), eq(oneTimeTokens.clientId, clientId), ofUsers(oneTimeTokens)));
}
