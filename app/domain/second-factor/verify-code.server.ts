import { consumeRecoveryCode, isRecoveryCodeUsed } from "#app/db/repositories/recovery-codes.server.ts";
import { consumeStep, findTotpCredential, updateWrongSteps } from "#app/db/repositories/totp-credentials.server.ts";
import type { WrongStep } from "#app/db/schema.server.ts";
import { hasCode } from "#app/domain/errors.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { hashInSet } from "#app/domain/recovery-code/hash.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { addWrongStep, checkTotp } from "#app/domain/totp/verify.server.ts";
import {
  acceptFactor,
  type FactorDeps,
  type Unauthorized,
  type Verified,
  type VerifiedFactor,
} from "./accept.server.ts";
import {
  admitFactorAttempt,
  type FactorInput,
  recordFactor,
  refundFactorAttempt,
  refuseFactor,
} from "./attempts.server.ts";
import { readCode } from "./code.ts";
import { findPending } from "./pending.server.ts";

/** Dependencies of `verifyCode`. */
export type CodeDeps = FactorDeps & { secrets: Secrets; hasher: PasswordHasher };

/** A refused code. `clockOffSeconds`: offset of the device's clock, negative if slow; null until two codes agree. */
export type RefusedCode = { kind: "refused"; reason: "wrong" | "used"; clockOffSeconds: number | null };

/** Result of `verifyCode`. `retryAfterSeconds`: time until the next attempt is allowed. */
export type CodeResult =
  | Verified
  | Unauthorized
  | { kind: "malformed" }
  | RefusedCode
  | { kind: "throttled"; retryAfterSeconds: number };

/**
 * Checks a TOTP or recovery code for a pending sign-in; both use the same field. A malformed code is not counted as an
 * attempt; a refused code is, and keeps the mfa_token. A throttled attempt is not checked. Throws DomainError
 * "overloaded" when the hash queue is full; such an attempt is refunded.
 */
export async function verifyCode(context: CodeDeps, input: FactorInput & { code: string }): Promise<CodeResult> {
  const pending = await findPending(context, input);
  if (!pending) return { kind: "unauthorized" };
  const parsed = readCode(input.code);
  if (parsed.kind === "malformed") return parsed;
  const name = parsed.kind === "totp" ? "totp" : "recovery code";
  const factor: VerifiedFactor = { pending, method: "otp", name, metadata: input };
  const retryAfterSeconds = await admitFactorAttempt(context, pending.userId);
  if (retryAfterSeconds > 0) {
    await recordFactor(context, "factor.throttled", factor);
    return { kind: "throttled", retryAfterSeconds };
  }
  const check = parsed.kind === "totp" ? checkTotpCode : checkRecoveryCode;
  const result = await check(context, factor, parsed.code);
  if (result.kind === "refused") await refuseFactor(context, factor);
  return result;
}

type Checked = Verified | Unauthorized | RefusedCode;

async function checkTotpCode(context: CodeDeps, factor: VerifiedFactor, code: string): Promise<Checked> {
  const { store, secrets, clock } = context;
  const { userId } = factor.pending;
  const credential = await findTotpCredential(store, userId);
  if (!credential) return refused("wrong");
  const now = clock.now();
  const secretBase32 = await secrets.open("totp", credential.sealedSecret);
  const result = await checkTotp({ secretBase32, code, now }, credential);
  if (result.kind === "off") return refused("wrong", await recordClockOffset(context, userId, result));
  if (result.kind !== "right") return refused(result.kind);
  const outcome = await acceptFactor(context, factor, (tx) => consumeStep(tx, userId, result.step, now));
  return outcome.kind === "spent" ? refused("used") : outcome;
}

async function recordClockOffset(
  { store }: CodeDeps,
  userId: string,
  { step, offset }: WrongStep,
): Promise<number | null> {
  const updated = await updateWrongSteps(store, userId, (recorded) => addWrongStep(recorded, { step, offset }));
  return updated?.clockOffSeconds ?? null;
}

async function checkRecoveryCode(context: CodeDeps, factor: VerifiedFactor, code: string): Promise<Checked> {
  const { userId } = factor.pending;
  const codeHash = await hashOrRefund(context, { userId, code, address: factor.metadata.address });
  if (codeHash === null) return refused("wrong");
  const outcome = await acceptFactor(context, factor, (tx) =>
    consumeRecoveryCode(tx, userId, { codeHash, now: context.clock.now() }),
  );
  if (outcome.kind !== "spent") return outcome;
  return refused((await isRecoveryCodeUsed(context.store, userId, codeHash)) ? "used" : "wrong");
}

async function hashOrRefund(
  context: CodeDeps,
  parsed: { userId: string; code: string; address: string },
): Promise<string | null> {
  try {
    return await hashInSet(context, parsed);
  } catch (error) {
    if (hasCode(error, "overloaded")) await refundFactorAttempt(context, parsed.userId);
    throw error;
  }
}

function refused(reason: RefusedCode["reason"], clockOffSeconds: number | null = null): RefusedCode {
  return { kind: "refused", reason, clockOffSeconds };
}
