import { and, eq, isNull } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/** Puts new codes in the place of all that the user has. Callers at once come one after the other: the last set stays. */
export async function replaceRecoveryCodes(
  store: Store,
  userId: string,
  { codeHashes, now }: { codeHashes: readonly string[]; now: Date },
): Promise<void> {
  await store.tx(async (tx) => {
    await tx.lock(`recovery codes ${userId}`);
    const { recoveryCodes } = tx.t;
    await tx.q.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
    await tx.q.insert(recoveryCodes).values(codeHashes.map((codeHash) => ({ userId, codeHash, createdAt: now })));
  });
}

/** The hash of one of the user's codes, used or not: it holds the salt and the cost of the whole set. */
export async function findRecoveryCodeHash(store: Store, userId: string): Promise<string | null> {
  const { recoveryCodes } = store.t;
  const [code] = await store.q
    .select({ codeHash: recoveryCodes.codeHash })
    .from(recoveryCodes)
    .where(eq(recoveryCodes.userId, userId))
    .limit(1);
  return code?.codeHash ?? null;
}

/** Uses a code up. One statement: of many at once one gets true; false for an unknown or used one. */
export async function consumeRecoveryCode(
  store: Store,
  userId: string,
  { codeHash, now }: { codeHash: string; now: Date },
): Promise<boolean> {
  const { recoveryCodes } = store.t;
  const used = await store.q
    .update(recoveryCodes)
    .set({ usedAt: now })
    .where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash), isNull(recoveryCodes.usedAt)))
    .returning({ userId: recoveryCodes.userId });
  return used.length === 1;
}

/** Whether the user has this code and used it. */
export async function isRecoveryCodeUsed(store: Store, userId: string, codeHash: string): Promise<boolean> {
  const { recoveryCodes } = store.t;
  const [code] = await store.q
    .select({ usedAt: recoveryCodes.usedAt })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash)));
  return code !== undefined && code.usedAt !== null;
}

/** Removes all codes of the user, used or not. */
export async function removeRecoveryCodes(store: Store, userId: string): Promise<void> {
  const { recoveryCodes } = store.t;
  await store.q.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
}
