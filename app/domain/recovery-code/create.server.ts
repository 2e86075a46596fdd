import type { Logger } from "pino";
import { replaceRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, type AuditEvent, recordEvent } from "#app/domain/audit/record.server.ts";
import { type Caller, callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { findFactors, hasFactor } from "#app/domain/second-factor/factors.server.ts";
import type { Clock, Random } from "#app/ports.ts";
import { formatRecoveryCode, RECOVERY_ALPHABET, RECOVERY_CODE_LENGTH } from "./format.ts";
import { hashRecoveryCodes } from "./hash.server.ts";

/** Codes of one set. */
export const RECOVERY_CODES = 10;

/** What making codes touches. */
export type RecoveryCodesDeps = { store: Store; clock: Clock; random: Random; hasher: PasswordHasher; log: Logger };

/** Whose codes, and where the request comes from. */
export type RecoveryCodesInput = { userId: string } & Pick<
  AuditEvent,
  "clientId" | "address" | "userAgent" | "requestId"
>;

/**
 * Makes a new set of codes in the place of the old one. `codes` as they are shown, this once: the database has their
 * hashes. "no factor" for somebody who has nothing that a recovery code could stand in for. Throws DomainError
 * "overloaded" when too many hashes wait.
 */
export async function createRecoveryCodes(
  context: RecoveryCodesDeps,
  input: RecoveryCodesInput,
): Promise<{ kind: "made"; codes: string[] } | { kind: "no factor" }> {
  if (!hasFactor(await findFactors(context.store, input.userId))) return { kind: "no factor" };
  const { codes, codeHashes } = await newRecoveryCodes(context, callerOf(input.userId, input.address));
  await context.store.tx((store) => keepRecoveryCodes({ ...context, store }, input, codeHashes));
  return { kind: "made", codes };
}

/** Ten new codes, as they are shown and as they are stored; nobody has them yet. Throws DomainError "overloaded". */
export async function newRecoveryCodes(
  { random, hasher }: Pick<RecoveryCodesDeps, "random" | "hasher">,
  caller?: Caller,
): Promise<{ codes: string[]; codeHashes: string[] }> {
  const codes = newCodes(random);
  const codeHashes = await hashRecoveryCodes(hasher, codes, caller);
  return { codes: codes.map(formatRecoveryCode), codeHashes };
}

/** Puts these codes in the place of all that the person has, and records it. To be called in a transaction, last. */
export async function keepRecoveryCodes(
  context: AuditDeps,
  input: RecoveryCodesInput,
  codeHashes: readonly string[],
): Promise<void> {
  await replaceRecoveryCodes(context.store, input.userId, { codeHashes, now: context.clock.now() });
  await recordEvent(context, { type: "recovery-codes.made", outcome: "ok", reason: "recovery code", ...input });
}

/** Ten different ones. */
function newCodes(random: Random): string[] {
  const codes = new Set<string>();
  while (codes.size < RECOVERY_CODES) codes.add(newCode(random));
  return [...codes];
}

/** 256 is a multiple of the alphabet's 32: every character is as likely as any other. */
function newCode(random: Random): string {
  return Array.from(random.bytes(RECOVERY_CODE_LENGTH), (byte) => RECOVERY_ALPHABET[byte % 32]).join("");
}
