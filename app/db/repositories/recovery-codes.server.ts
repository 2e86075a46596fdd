import { and, eq, isNull } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/**
 * Replaces all recovery codes of the user. Call it in a transaction: concurrent calls are serialised until its end, and
 * the last set stays.
 */
export async function replaceRecoveryCodes(
  tx: Store,
  userId: string,
  { codeHashes, now }: { codeHashes: readonly string[]; now: Date },
): Promise<void> {
  await tx.lock(`recovery codes ${userId}`);
  const { recoveryCodes } = tx.t;
  await tx.q.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  await tx.q.insert(recoveryCodes).values(codeHashes.map((codeHash) => ({ userId, codeHash, createdAt: now })));
}

/** Returns the hash of one of the user's codes, used or not; it contains salt and cost of the whole set. */
export async function findRecoveryCodeHash(store: Store, userId: string): Promise<string | null> {
  const { recoveryCodes } = store.t;
  const [code] = await store.q
    .select({ codeHash: recoveryCodes.codeHash })
    .from(recoveryCodes)
    .where(eq(recoveryCodes.userId, userId))
    .limit(1);
  return code?.codeHash ?? null;
}

/** Returns when the user's codes, used or not, were created; null if there are none. */
export async function findRecoveryCodesDate(store: Store, userId: string): Promise<Date | null> {
  const { recoveryCodes } = store.t;
  const [code] = await store.q
    .select({ createdAt: recoveryCodes.createdAt })
    .from(recoveryCodes)
    .where(eq(recoveryCodes.userId, userId))
    .limit(1);
  return code?.createdAt ?? null;
}

/** Consumes a code. One statement: of concurrent calls one returns true. Returns false if it is unknown or used. */
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

/** Returns true if the user has this code and has used it. */
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
