import type { Logger } from "pino";
import { replaceRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import { lockGeneration } from "#app/db/repositories/user-generation.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, type AuditEvent, recordEvent } from "#app/domain/audit/record.server.ts";
import { formatRecoveryCode, RECOVERY_ALPHABET, RECOVERY_CODE_LENGTH } from "#app/domain/factor/code.ts";
import { findFactors, hasFactor } from "#app/domain/factor/factors.server.ts";
import { type Caller, callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import type { Clock, Random } from "#app/ports.ts";
import { hashRecoveryCodes } from "./hash.server.ts";

/** Number of codes per set. */
export const RECOVERY_CODES = 10;

/** Dependencies of `createRecoveryCodes`. */
export type RecoveryCodesDeps = { store: Store; clock: Clock; random: Random; hasher: PasswordHasher; log: Logger };

/** The user, and metadata of the request. */
type RecoveryCodesInput = { userId: string } & Pick<AuditEvent, "clientId" | "address" | "userAgent" | "requestId">;

type CreatedRecoveryCodes = { kind: "made"; codes: string[] } | { kind: "no factor" } | { kind: "unauthorized" };

/**
 * Replaces the user's recovery codes by a new set. The returned codes are shown once; only their hashes are stored. "no
 * factor" if the user has no second factor; "unauthorized" if the user was blocked or changed while the codes were
 * hashed: codes must not outlive a factor that was removed meanwhile. Throws DomainError "overloaded" when the hash
 * queue is full.
 */
export async function createRecoveryCodes(
  context: RecoveryCodesDeps,
  { generation, ...input }: RecoveryCodesInput & { generation: number },
): Promise<CreatedRecoveryCodes> {
  const { userId, address } = input;
  if (!hasFactor(await findFactors(context.store, userId))) return { kind: "no factor" };
  const { codes, codeHashes } = await newRecoveryCodes(context, callerOf(userId, address));
  return context.store.tx(async (store): Promise<CreatedRecoveryCodes> => {
    if (!(await lockGeneration(store, userId, generation))) return { kind: "unauthorized" };
    await storeRecoveryCodes({ ...context, store }, input, codeHashes);
    return { kind: "made", codes };
  });
}

/** Generates ten codes, formatted and hashed, without storing them. Throws DomainError "overloaded". */
export async function newRecoveryCodes(
  { random, hasher }: Pick<RecoveryCodesDeps, "random" | "hasher">,
  caller?: Caller,
): Promise<{ codes: string[]; codeHashes: string[] }> {
  const codes = newCodes(random);
  const codeHashes = await hashRecoveryCodes(hasher, codes, caller);
  return { codes: codes.map(formatRecoveryCode), codeHashes };
}

/** Replaces all recovery codes of the user and records the event. Call it in a transaction. */
export async function storeRecoveryCodes(
  context: AuditDeps,
  input: RecoveryCodesInput,
  codeHashes: readonly string[],
): Promise<void> {
  await replaceRecoveryCodes(context.store, input.userId, { codeHashes, now: context.clock.now() });
  await recordEvent(context, { type: "recovery-codes.made", outcome: "ok", reason: "recovery code", ...input });
}

function newCodes(random: Random): string[] {
  const codes = new Set<string>();
  while (codes.size < RECOVERY_CODES) codes.add(newCode(random));
  return [...codes];
}

/** Unbiased: 256 is a multiple of the 32 characters of the alphabet. */
function newCode(random: Random): string {
  return Array.from(random.bytes(RECOVERY_CODE_LENGTH), (byte) => RECOVERY_ALPHABET[byte % 32]).join("");
}
