import { acceptStep, findTotpCredential, noteWrongSteps } from "#app/db/repositories/totp-credentials.server.ts";
import type { WrongStep } from "#app/db/schema.server.ts";
import { hasCode } from "#app/domain/errors.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { refusalOfRecoveryCode, spendRecoveryCode } from "#app/domain/recovery-code/consume.server.ts";
import { hashInSet } from "#app/domain/recovery-code/hash.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { readCode } from "#app/domain/totp/code.ts";
import { checkTotp } from "#app/domain/totp/verify.server.ts";
import { noteWrongStep } from "#app/domain/totp/wrong-clock.server.ts";
import { acceptFactor, type FactorDeps, type GivenFactor, type Unauthorized, type Verified } from "./accept.server.ts";
import { admitFactorAttempt, takeBackFactorAttempt } from "./attempts.server.ts";
import { findPending } from "./pending.server.ts";
import { type FactorInput, recordFactor } from "./record.server.ts";
import { refuseFactor } from "./refuse.server.ts";

/** Dependencies of `verifyCode`. */
export type CodeDeps = FactorDeps & { secrets: Secrets; hasher: PasswordHasher };

/** A refused code. `clockOffSeconds`: offset of the device's clock, negative if slow; null until two codes agree. */
export type RefusedCode = { kind: "refused"; reason: "wrong" | "used"; clockOffSeconds: number | null };

export type CodeVerdict =
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
export async function verifyCode(context: CodeDeps, input: FactorInput & { code: string }): Promise<CodeVerdict> {
  const pending = await findPending(context, input);
  if (!pending) return { kind: "unauthorized" };
  const typed = readCode(input.code);
  if (typed.kind === "malformed") return typed;
  const name = typed.kind === "totp" ? "totp" : "recovery code";
  const given: GivenFactor = { pending, method: "otp", name, facts: input };
  const retryAfterSeconds = await admitFactorAttempt(context, pending.userId);
  if (retryAfterSeconds > 0) {
    await recordFactor(context, "factor.throttled", given);
    return { kind: "throttled", retryAfterSeconds };
  }
  const check = typed.kind === "totp" ? checkApp : checkRecoveryCode;
  const verdict = await check(context, given, typed.code);
  if (verdict.kind === "refused") await refuseFactor(context, given);
  return verdict;
}

type Checked = Verified | Unauthorized | RefusedCode;

async function checkApp(context: CodeDeps, given: GivenFactor, code: string): Promise<Checked> {
  const { store, secrets, clock } = context;
  const { userId } = given.pending;
  const credential = await findTotpCredential(store, userId);
  if (!credential) return refused("wrong");
  const now = clock.now();
  const secretBase32 = await secrets.open("totp", credential.sealedSecret);
  const verdict = await checkTotp({ secretBase32, code, now }, credential);
  if (verdict.kind === "off") return refused("wrong", await clockOff(context, userId, verdict));
  if (verdict.kind !== "right") return refused(verdict.kind);
  const outcome = await acceptFactor(context, given, (tx) => acceptStep(tx, userId, verdict.step, now));
  return outcome.kind === "spent" ? refused("used") : outcome;
}

async function clockOff({ store }: CodeDeps, userId: string, { step, offset }: WrongStep): Promise<number | null> {
  const noted = await noteWrongSteps(store, userId, (known) => noteWrongStep(known, { step, offset }));
  return noted?.clockOffSeconds ?? null;
}

async function checkRecoveryCode(context: CodeDeps, given: GivenFactor, code: string): Promise<Checked> {
  const { userId } = given.pending;
  const codeHash = await hashOrTakeBack(context, { userId, code, address: given.facts.address });
  if (codeHash === null) return refused("wrong");
  const hashed = { userId, codeHash };
  const outcome = await acceptFactor(context, given, (tx) => spendRecoveryCode({ ...context, store: tx }, hashed));
  return outcome.kind === "spent" ? refused(await refusalOfRecoveryCode(context, hashed)) : outcome;
}

async function hashOrTakeBack(
  context: CodeDeps,
  typed: { userId: string; code: string; address: string },
): Promise<string | null> {
  try {
    return await hashInSet(context, typed);
  } catch (error) {
    if (hasCode(error, "overloaded")) await takeBackFactorAttempt(context, typed.userId);
    throw error;
  }
}

function refused(reason: RefusedCode["reason"], clockOffSeconds: number | null = null): RefusedCode {
  return { kind: "refused", reason, clockOffSeconds };
}
