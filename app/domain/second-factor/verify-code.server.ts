import { consumeRecoveryCode, isRecoveryCodeUsed } from "#app/db/repositories/recovery-codes.server.ts";
import { consumeStep, findTotpCredential, updateWrongSteps } from "#app/db/repositories/totp-credentials.server.ts";
import type { WrongStep } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
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
import { type FactorInput, limitFactor, recordWrongFactor, refuseAttempt, type Throttled } from "./attempts.server.ts";
import { readCode } from "./code.ts";
import { findPending } from "./pending.server.ts";

/** Dependencies of `verifyCode`. */
export type CodeDeps = FactorDeps & { secrets: Secrets; hasher: PasswordHasher };

/** A refused code. `clockOffSeconds`: offset of the device's clock, negative if slow; null until two codes agree. */
export type RefusedCode = { kind: "refused"; reason: "wrong" | "used"; clockOffSeconds: number | null };

/** Result of `verifyCode`. */
export type CodeResult = Verified | Unauthorized | { kind: "malformed" } | NoApp | RefusedCode | Throttled;

/** A code of an authenticator app, of a user without one. */
type NoApp = { kind: "totp not found" };

/**
 * Checks a TOTP or recovery code for a pending sign-in; both use the same field. A malformed code is not counted as an
 * attempt, nor is one of an app that the user does not have; a refused code is, and keeps the mfa_token. A throttled
 * attempt is not checked. Throws DomainError "overloaded" when the hash queue is full; such an attempt is not counted.
 */
export async function verifyCode(context: CodeDeps, input: FactorInput & { code: string }): Promise<CodeResult> {
  const pending = await findPending(context, input);
  if (!pending) return { kind: "unauthorized" };
  const parsed = readCode(input.code);
  if (parsed.kind === "malformed") return parsed;
  const name = parsed.kind === "totp" ? "totp" : "recovery code";
  const factor: VerifiedFactor = { pending, method: "otp", name, metadata: input };
  const check = parsed.kind === "totp" ? checkTotpCode : checkRecoveryCode;
  return limitFactor(context, factor, () => check(context, factor, parsed.code));
}

type Checked = NoApp | Verified | Unauthorized | RefusedCode | Throttled;

async function checkTotpCode(context: CodeDeps, factor: VerifiedFactor, code: string): Promise<Checked> {
  const { store, secrets, clock } = context;
  const { userId } = factor.pending;
  const credential = await findTotpCredential(store, userId);
  if (!credential) return { kind: "totp not found" };
  const now = clock.now();
  const secretBase32 = await secrets.open("totp", credential.sealedSecret);
  const result = await checkTotp({ secretBase32, code, now }, credential);
  if (result.kind === "off") return refuse(context, factor, "wrong", (tx) => recordClockOffset(tx, userId, result));
  if (result.kind !== "right") return refuse(context, factor, result.kind);
  const outcome = await acceptFactor(context, factor, (tx) => consumeStep(tx, userId, result.step, now));
  return outcome.kind === "spent" ? refuse(context, factor, "used") : outcome;
}

async function recordClockOffset(store: Store, userId: string, { step, offset }: WrongStep): Promise<number | null> {
  const updated = await updateWrongSteps(store, userId, (recorded) => addWrongStep(recorded, { step, offset }));
  return updated?.clockOffSeconds ?? null;
}

async function checkRecoveryCode(context: CodeDeps, factor: VerifiedFactor, code: string): Promise<Checked> {
  const { userId } = factor.pending;
  const codeHash = await hashInSet(context, { userId, code, address: factor.metadata.address });
  if (codeHash === null) return refuse(context, factor, "wrong");
  const outcome = await acceptFactor(context, factor, (tx) =>
    consumeRecoveryCode(tx, userId, { codeHash, now: context.clock.now() }),
  );
  if (outcome.kind !== "spent") return outcome;
  return refuse(context, factor, (await isRecoveryCodeUsed(context.store, userId, codeHash)) ? "used" : "wrong");
}

/** Counts and records a refused code. `clockOff` runs in the same transaction. */
async function refuse(
  context: CodeDeps,
  factor: VerifiedFactor,
  reason: RefusedCode["reason"],
  clockOff: (tx: Store) => Promise<number | null> = async () => null,
): Promise<RefusedCode | Throttled> {
  return refuseAttempt<RefusedCode>(context, factor.pending.userId, async (store) => {
    const clockOffSeconds = await clockOff(store);
    await recordWrongFactor({ ...context, store }, factor);
    return { kind: "refused", reason, clockOffSeconds };
  });
}
