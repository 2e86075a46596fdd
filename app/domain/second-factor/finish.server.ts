import { markPasswordProven } from "#app/db/repositories/mailed-passwords.server.ts";
import { consumeOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { type Subject, withFactors } from "#app/domain/engine-session/subject.server.ts";
import { type FactorInput, findThrottle, type Throttled } from "#app/domain/pending-sign-in/attempts.server.ts";
import { findPending, isStepAlive, type PendingSignIn } from "#app/domain/pending-sign-in/pending.server.ts";
import { mayRememberDevice, rememberDevice, type StoredDevice } from "#app/domain/remembered-device/remember.server.ts";
import { decideSignIn, type FinishDeps, finishSignIn } from "#app/domain/sign-in/finish.server.ts";
import {
  type Consume,
  type FactorDeps,
  recordAccepted,
  type Spent,
  type Unauthorized,
  type VerifiedFactor,
} from "./accept.server.ts";

/**
 * The sign-in is complete. `authTime`: time of the last proof of identity, null if unknown. `signedInAt`: start of the
 * live session if only its second step was required, else null. Both in seconds since 1970. `sessionUid`: uid of that
 * session. `device`: the remembered device, if any. `typedUsername`: the user name or e-mail address that was typed with
 * the password, else null.
 */
export type SignedIn = {
  kind: "signed-in";
  subject: Subject;
  authTime: number | null;
  signedInAt: number | null;
  sessionUid: string | null;
  device: StoredDevice | null;
  typedUsername: string | null;
};

/** Result of `finishSecondFactor`. */
export type SecondFactorFinish = SignedIn | Unauthorized | { kind: "not verified" };

/** `uid`: the interaction of the form. `remembersDevice`: the user asked to skip the second step here from now on. */
export type FinishForm = FactorInput & { uid: string; remembersDevice?: boolean };

/**
 * Completes a sign-in after its second step: consumes the pending sign-in and checks the sign-in policy, in one
 * transaction. Of several simultaneous calls, one signs in. "unauthorized" also for a token of another interaction, and
 * if the sign-in policy refuses. "not verified": no factor was given yet, and the token stays valid. Marks a password
 * given in the same sign-in as proven. Remembers the device only where that is allowed.
 */
export async function finishSecondFactor(context: FinishDeps, input: FinishForm): Promise<SecondFactorFinish> {
  const pending = await findPending(context, input);
  if (pending?.uid !== input.uid) return { kind: "unauthorized" };
  if (pending.verified.length === 0) return { kind: "not verified" };
  return context.store.tx<SecondFactorFinish>(async (store) => {
    const deps = { ...context, store };
    await lockUser(deps, pending);
    if (!(await consumePending(deps, pending))) return rollback({ kind: "unauthorized" });
    return complete(deps, pending, input);
  });
}

/**
 * Accepts a verified factor and completes the sign-in, in one transaction, like `acceptFactor` and `finishSecondFactor`
 * one after the other.
 */
export async function finishWithFactor(
  context: FinishDeps & FactorDeps,
  factor: VerifiedFactor,
  { consume, form }: { consume: Consume; form: FinishForm },
): Promise<SignedIn | Unauthorized | Spent | Throttled> {
  const { pending, method } = factor;
  return context.store.tx<SignedIn | Unauthorized | Spent | Throttled>(async (store) => {
    const deps = { ...context, store };
    await lockUser(deps, pending);
    const consumed = await consume(store);
    if (!consumed) return rollback({ kind: "spent" });
    const throttled = await findThrottle(deps, pending.userId);
    if (throttled) return rollback(throttled);
    if (!(await consumePending(deps, pending))) return rollback({ kind: "unauthorized" });
    await recordAccepted(deps, factor, consumed);
    const byRecoveryCode = pending.byRecoveryCode || factor.name === "recovery code";
    return complete(deps, { ...pending, verified: [...pending.verified, method], byRecoveryCode }, form);
  });
}

/**
 * Marks a password given in this sign-in as proven. First in the transaction, because it locks the user: a change of the
 * user locks the user before factors and pending sign-ins, and another order could deadlock.
 */
async function lockUser({ store, clock }: FinishDeps, pending: PendingSignIn): Promise<void> {
  const { userId, generation } = pending;
  if (provesPassword(pending)) await markPasswordProven(store, userId, { generation, at: clock.now() });
}

/** Returns false if the pending sign-in was used or replaced, or its session has ended. */
async function consumePending(deps: FinishDeps, pending: PendingSignIn): Promise<boolean> {
  const token = { kind: "mfa" as const, tokenHash: pending.tokenHash, now: deps.clock.now() };
  return (await consumeOneTimeToken(deps.store, token)) !== null && isStepAlive(deps, pending);
}

async function complete(deps: FinishDeps, pending: PendingSignIn, form: FinishForm): Promise<SignedIn | Unauthorized> {
  const { userId, generation, clientId, typedUsername, sessionUid, sessionSince: signedInAt } = pending;
  const signIn = { ...form, userId, generation, clientId, amr: withFactors(pending.amr, pending.verified) };
  const result = await decideSignIn(deps, signIn);
  const device = result.kind === "complete" ? await rememberIfAsked(deps, pending, form) : null;
  await finishSignIn(deps, signIn, result);
  if (result.kind !== "complete") return { kind: "unauthorized" };
  if (device !== null) {
    const { address, userAgent, requestId } = form;
    const metadata = { userId, clientId, address, userAgent, requestId };
    await recordEvent(deps, { type: "device.remembered", outcome: "ok", ...metadata });
  }
  const authTime = authTimeOf(pending, deps.clock.now());
  return { kind: "signed-in", subject: result.subject, authTime, signedInAt, sessionUid, device, typedUsername };
}

async function rememberIfAsked(
  context: FinishDeps,
  pending: PendingSignIn,
  { remembersDevice = false, browser, userAgent }: FinishForm,
): Promise<StoredDevice | null> {
  if (!remembersDevice || !(await mayRememberDevice(context, pending))) return null;
  const { userId, generation } = pending;
  return rememberDevice(context, { userId, generation, browser, userAgent });
}

/** Returns true if the password was given in this sign-in together with a factor that existed before it. */
function provesPassword({ amr, setUp, sessionSince }: PendingSignIn): boolean {
  return sessionSince === null && !setUp && amr.includes("pwd");
}

/** Returns the time of the proof of identity: now for a given factor, unchanged for a new factor or a live session. */
function authTimeOf({ provenAt, setUp, sessionSince }: PendingSignIn, now: Date): number | null {
  return setUp || sessionSince !== null ? provenAt : Math.floor(now.getTime() / 1000);
}
