import { consumeRecoveryCode, isRecoveryCodeUsed } from "#app/db/repositories/recovery-codes.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/** A code as the user's set holds it (`hashInSet`). */
export type HashedCode = { userId: string; codeHash: string };

/**
 * Uses a code up; of many at once one gets true. Part of a larger change: the hash is made before its transaction begins.
 */
export async function spendRecoveryCode(
  { store, clock }: { store: Store; clock: Clock },
  { userId, codeHash }: HashedCode,
): Promise<boolean> {
  return consumeRecoveryCode(store, userId, { codeHash, now: clock.now() });
}

/** Why a code could not be spent. */
export async function refusalOfRecoveryCode(
  { store }: { store: Store },
  { userId, codeHash }: HashedCode,
): Promise<"used" | "wrong"> {
  return (await isRecoveryCodeUsed(store, userId, codeHash)) ? "used" : "wrong";
}
