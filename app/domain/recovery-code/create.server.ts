import type { Logger } from "pino";
import type { Clock, Random } from "#app/context.server.ts";
import { replaceRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditEvent, recordEvent } from "#app/domain/audit/record.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { findFactors, hasFactor } from "#app/domain/second-factor/factors.server.ts";
import { formatRecoveryCode, RECOVERY_ALPHABET, RECOVERY_CODE_LENGTH } from "./format.ts";
import { hashRecoveryCodes } from "./hash.server.ts";

/** Codes of one set. */
export const RECOVERY_CODES = 10;

/** What making codes touches. */
export type RecoveryCodesContext = { store: Store; clock: Clock; random: Random; hasher: PasswordHasher; log: Logger };

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
  context: RecoveryCodesContext,
  input: RecoveryCodesInput,
): Promise<{ kind: "made"; codes: string[] } | { kind: "no factor" }> {
  const { store, clock, random, hasher } = context;
  if (!hasFactor(await findFactors(store, input.userId))) return { kind: "no factor" };
  const codes = newCodes(random);
  const codeHashes = await hashRecoveryCodes(hasher, codes);
  await store.tx(async (tx) => {
    await replaceRecoveryCodes(tx, input.userId, { codeHashes, now: clock.now() });
    await recordEvent(
      { ...context, store: tx },
      { type: "recovery-codes.made", outcome: "ok", reason: "recovery code", ...input },
    );
  });
  return { kind: "made", codes: codes.map(formatRecoveryCode) };
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
