import { consumeRecoveryCode, isRecoveryCodeUsed } from "#app/db/repositories/recovery-codes.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/** A recovery code hashed like the user's set (`hashInSet`). */
export type HashedCode = { userId: string; codeHash: string };

/**
 * Consumes a recovery code. Of several simultaneous calls, one returns true. Call it in a transaction; hash the code
 * before the transaction begins.
 */
export async function consumeHashedCode(
  { store, clock }: { store: Store; clock: Clock },
  { userId, codeHash }: HashedCode,
): Promise<boolean> {
  return consumeRecoveryCode(store, userId, { codeHash, now: clock.now() });
}

/** Returns why a code could not be consumed. */
export async function findCodeRefusal(
  { store }: { store: Store },
  { userId, codeHash }: HashedCode,
): Promise<"used" | "wrong"> {
  return (await isRecoveryCodeUsed(store, userId, codeHash)) ? "used" : "wrong";
}
