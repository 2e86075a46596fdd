import { holdGeneration } from "#app/db/repositories/user-generation.server.ts";
import { keepIf } from "#app/domain/keep-if.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { keepRecoveryCodes, newRecoveryCodes } from "#app/domain/recovery-code/create.server.ts";
import { findFactors, hasFactor } from "#app/domain/second-factor/factors.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { isFresh, type SettingsAccess } from "./access.ts";
import type { ChangeDeps, NotAllowed } from "./change.server.ts";
import { findOwner } from "./owner.server.ts";

/** `codes` as they are shown, this once. */
export type RecoveryCodesMade = { kind: "made"; codes: string[] } | { kind: "no factor" } | NotAllowed;

/**
 * Makes new recovery codes in the place of those that the person has, and tells them by mail. "no factor" for somebody
 * who has nothing that a recovery code could stand in for. Sessions go on. Throws DomainError "overloaded".
 */
export async function makeOwnRecoveryCodes(
  context: ChangeDeps & { hasher: PasswordHasher },
  access: SettingsAccess,
  facts: RequestMetadata,
): Promise<RecoveryCodesMade> {
  const { userId, generation, clientId } = access;
  if (!isFresh(access, context.clock.now())) return { kind: "reauthentication_required" };
  if (!(await findOwner(context.store, access))) return { kind: "unauthorized" };
  if (!hasFactor(await findFactors(context.store, userId))) return { kind: "no factor" };
  const { codes, codeHashes } = await newRecoveryCodes(context, callerOf(userId, facts.address));
  return keepIf<RecoveryCodesMade>(
    context.store,
    ({ kind }) => kind === "made",
    async (store) => {
      // Who lost the account to its owner meanwhile, or removed the last factor, gets none.
      if (!(await holdGeneration(store, userId, generation))) return { kind: "unauthorized" };
      const parts = { ...context, store };
      await notifyUser(parts, userId, { template: { name: "recovery-codes-made" }, from: facts });
      const { address, userAgent, requestId } = facts;
      await keepRecoveryCodes(parts, { userId, clientId, address, userAgent, requestId }, codeHashes);
      return { kind: "made", codes };
    },
  );
}
