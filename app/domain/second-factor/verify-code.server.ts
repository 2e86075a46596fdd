import { consumeRecoveryCode, isRecoveryCodeUsed } from "#app/db/repositories/recovery-codes.server.ts";
import { consumeStep, findTotpCredential, updateWrongSteps } from "#app/db/repositories/totp-credentials.server.ts";
import type { WrongStep } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { readCode } from "#app/domain/factor/code.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import {
  type FactorInput,
  limitFactor,
  recordWrongFactor,
  refuseAttempt,
  type Throttled,
} from "#app/domain/pending-sign-in/attempts.server.ts";
import { findPending, type PendingSignIn } from "#app/domain/pending-sign-in/pending.server.ts";
import { hashInSet } from "#app/domain/recovery-code/hash.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { FinishDeps } from "#app/domain/sign-in/finish.server.ts";
import { addWrongStep, checkTotp } from "#app/domain/totp/verify.server.ts";
import {
  acceptFactor,
  type Consume,
  type FactorDeps,
  type Spent,
  type Unauthorized,
  type Verified,
  type VerifiedFactor,
} from "./accept.server.ts";
import { type FinishForm, finishWithFactor, type SignedIn } from "./finish.server.ts";

/** Dependencies of `verifyCode`. */
type CodeDeps = FactorDeps & { secrets: Secrets; hasher: PasswordHasher };

/** A refused code. `clockOffSeconds`: offset of the device's clock, negative if slow; null until two codes agree. */
type RefusedCode = { kind: "refused"; reason: "wrong" | "used"; clockOffSeconds: number | null };

/** A code that is not accepted. */
type NotAccepted = Unauthorized | { kind: "malformed" } | NoApp | RefusedCode | Throttled;

/** Result of `verifyCode`. */
export type CodeResult = Verified | NotAccepted;

/** Result of `signInWithCode`. */
export type CodeSignIn = SignedIn | NotAccepted;

type CodeInput = FactorInput & { code: string };

/** A code of an authenticator app, of a user without one. */
type NoApp = { kind: "totp not found" };

/**
 * Checks a TOTP or recovery code for a pending sign-in; both use the same field. A malformed code is not counted as an
 * attempt, nor is one of an app that the user does not have; a refused code is, and keeps the mfa_token. A throttled
 * attempt is not checked. Throws DomainError "overloaded" when the hash queue is full; such an attempt is not counted.
 */
export async function verifyCode(context: CodeDeps, input: CodeInput): Promise<CodeResult> {
  const pending = await findPending(context, input);
  if (!pending) return { kind: "unauthorized" };
  return tryCode(context, { pending, input }, (factor, consume) => acceptFactor(context, factor, consume));
}

/** Checks a code like `verifyCode` and completes the sign-in with it in one transaction; see `finishWithFactor`. */
export async function signInWithCode(
  context: CodeDeps & FinishDeps,
  input: CodeInput & FinishForm,
): Promise<CodeSignIn> {
  const pending = await findPending(context, input);
  if (pending?.uid !== input.uid) return { kind: "unauthorized" };
  return tryCode(context, { pending, input }, (factor, consume) =>
    finishWithFactor(context, factor, { consume, form: input }),
  );
}

/** Accepts a right code. */
type Accept<Accepted> = (factor: VerifiedFactor, consume: Consume) => Promise<Accepted | Spent | Throttled>;

async function tryCode<Accepted extends { kind: string }>(
  context: CodeDeps,
  { pending, input }: { pending: PendingSignIn; input: CodeInput },
  accept: Accept<Accepted>,
): Promise<Accepted | NotAccepted> {
  const parsed = readCode(input.code);
  if (parsed.kind === "malformed") return parsed;
  const name = parsed.kind === "totp" ? "totp" : "recovery code";
  const factor: VerifiedFactor = { pending, method: "otp", name, metadata: input };
  const check = parsed.kind === "totp" ? checkTotpCode : checkRecoveryCode;
  return limitFactor<Accepted | NotAccepted>(context, factor, async () => {
    const checked = await check(context, factor, parsed.code);
    if (checked.kind !== "right") return checked;
    const outcome = await accept(factor, checked.consume);
    return isSpent(outcome) ? refuse(context, factor, await checked.reasonIfSpent()) : outcome;
  });
}

function isSpent(outcome: { kind: string }): outcome is Spent {
  return outcome.kind === "spent";
}

/** `reasonIfSpent` reads why the code was not consumed. */
type RightCode = { kind: "right"; consume: Consume; reasonIfSpent(): Promise<RefusedCode["reason"]> };

async function checkTotpCode(
  context: CodeDeps,
  factor: VerifiedFactor,
  code: string,
): Promise<RightCode | NoApp | RefusedCode | Throttled> {
  const { store, secrets, clock } = context;
  const { userId } = factor.pending;
  const credential = await findTotpCredential(store, userId);
  if (!credential) return { kind: "totp not found" };
  const now = clock.now();
  const secretBase32 = await secrets.open("totp", credential.sealedSecret);
  const result = await checkTotp({ secretBase32, code, now }, credential);
  if (result.kind === "off") return refuse(context, factor, "wrong", (tx) => recordClockOffset(tx, userId, result));
  if (result.kind !== "right") return refuse(context, factor, result.kind);
  const consume: Consume = (tx) => consumeStep(tx, userId, result.step, now);
  return { kind: "right", consume, reasonIfSpent: async () => "used" };
}

async function checkRecoveryCode(
  context: CodeDeps,
  factor: VerifiedFactor,
  code: string,
): Promise<RightCode | RefusedCode | Throttled> {
  const { store, clock } = context;
  const { userId } = factor.pending;
  const codeHash = await hashInSet(context, { userId, code, address: factor.metadata.address });
  if (codeHash === null) return refuse(context, factor, "wrong");
  return {
    kind: "right",
    consume: (tx) => consumeRecoveryCode(tx, userId, { codeHash, now: clock.now() }),
    reasonIfSpent: async () => ((await isRecoveryCodeUsed(store, userId, codeHash)) ? "used" : "wrong"),
  };
}

async function recordClockOffset(store: Store, userId: string, { step, offset }: WrongStep): Promise<number | null> {
  const updated = await updateWrongSteps(store, userId, (recorded) => addWrongStep(recorded, { step, offset }));
  return updated?.clockOffSeconds ?? null;
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
