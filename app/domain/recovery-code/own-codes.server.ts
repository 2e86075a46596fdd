import { findRecoveryCodesDate } from "#app/db/repositories/recovery-codes.server.ts";
import { lockGeneration } from "#app/db/repositories/user-generation.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { isFresh, type NotAllowed, type SettingsAccess } from "#app/domain/access/access.ts";
import { findSettingsUser } from "#app/domain/access/grant.server.ts";
import type { ChangeDeps } from "#app/domain/account/change-account.server.ts";
import { findFactors, hasFactor } from "#app/domain/factor/factors.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { newRecoveryCodes, RECOVERY_CODES, storeRecoveryCodes } from "./create.server.ts";

/** The codes are shown once. */
type RecoveryCodesCreated = { kind: "made"; codes: string[] } | { kind: "no factor" } | NotAllowed;

/** Recovery codes of a user. `createdAt`: null if none were created, or all were removed with the last factor. */
type OwnRecoveryCodes = { left: number; total: number; createdAt: Date | null };

/** Counts the unused codes; `left` was loaded with the other factors. */
export async function describeOwnRecoveryCodes(
  { store }: Pick<ChangeDeps, "store">,
  { userId }: SettingsAccess,
  left: number,
): Promise<OwnRecoveryCodes> {
  return { left, total: RECOVERY_CODES, createdAt: await findRecoveryCodesDate(store, userId) };
}

/**
 * Replaces the recovery codes of the user, and notifies the user by mail. "no factor" if the user has no second factor.
 * Sessions continue. Throws DomainError "overloaded".
 */
export async function createOwnRecoveryCodes(
  context: ChangeDeps & { hasher: PasswordHasher },
  access: SettingsAccess,
  metadata: RequestMetadata,
): Promise<RecoveryCodesCreated> {
  const { userId, generation, clientId } = access;
  if (!isFresh(access, context.clock.now())) return { kind: "reauthentication_required" };
  if (!(await findSettingsUser(context.store, access))) return { kind: "unauthorized" };
  if (!hasFactor(await findFactors(context.store, userId))) return { kind: "no factor" };
  const { codes, codeHashes } = await newRecoveryCodes(context, callerOf(userId, metadata.address));
  return context.store.tx<RecoveryCodesCreated>(async (store) => {
    // Refuses if the account or its factors changed meanwhile.
    if (!(await lockGeneration(store, userId, generation))) return rollback({ kind: "unauthorized" });
    const deps = { ...context, store };
    await notifyUser(deps, userId, { template: { name: "recovery-codes-made" }, from: metadata });
    const { address, userAgent, requestId } = metadata;
    await storeRecoveryCodes(deps, { userId, clientId, address, userAgent, requestId }, codeHashes);
    return { kind: "made", codes };
  });
}
