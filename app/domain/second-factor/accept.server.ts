import type { Logger } from "pino";
import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { removeOtherEngineSessions } from "#app/db/repositories/engine-sessions.server.ts";
import { findRecord } from "#app/db/repositories/oidc-records.server.ts";
import { removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { incrementGeneration } from "#app/db/repositories/user-generation.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { queueLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import { moveSessions } from "#app/domain/engine-session/engine-session.server.ts";
import { findFactors, hasFactorToGive } from "#app/domain/factor/factors.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import {
  type FactorName,
  findThrottle,
  recordFactor,
  type Throttled,
} from "#app/domain/pending-sign-in/attempts.server.ts";
import {
  advancePending,
  isStepAlive,
  maySetUp,
  type PendingDeps,
  type PendingProgress,
  type PendingSignIn,
} from "#app/domain/pending-sign-in/pending.server.ts";
import { endAccess } from "#app/domain/session/end-access.server.ts";
import type { RequestMetadata } from "#app/ports.ts";

/** Dependencies of the second-factor functions. */
export type FactorDeps = PendingDeps & MailDeps & { log: Logger; config: Pick<Config, "passkeys"> };

/** The factor was accepted. `mfaToken` replaces the token of the call, which is now invalid. */
export type Verified = { kind: "verified"; mfaToken: string };

/** The mfa_token is not valid in this browser, or another call was faster. */
export type Unauthorized = { kind: "unauthorized" };

/** The factor is already used, or was removed meanwhile. */
export type Spent = { kind: "spent" };

/** The user already has a second factor, so no first factor can be set up. */
export type AlreadyRegistered = { kind: "factor already registered" };

/** A first factor cannot be set up, because the proof of identity of this sign-in is too old. */
export type ProofTooOld = { kind: "reauthentication_required" };

/** A verified factor. `method` is its `amr` value (RFC 8176); `metadata` is the request metadata. */
export type VerifiedFactor = {
  pending: PendingSignIn;
  method: "otp" | "hwk" | "swk";
  name: FactorName;
  metadata: RequestMetadata;
};

/** Consumes a factor. Returns false if it is already used, "backup changed" as `acceptAssertion`. */
export type Consume = (tx: Store) => Promise<boolean | "backup changed">;

/**
 * Accepts a verified factor for a pending sign-in in one transaction: consumes the factor and rotates the mfa_token.
 * Throttled, and rolled back, if simultaneous attempts have reached the limit of failed ones.
 */
export async function acceptFactor(
  context: FactorDeps,
  factor: VerifiedFactor,
  consume: Consume,
): Promise<Verified | Unauthorized | Spent | Throttled> {
  const { pending, method, name } = factor;
  return context.store.tx<Verified | Unauthorized | Spent | Throttled>(async (tx) => {
    const deps = { ...context, store: tx };
    const consumed = await consume(tx);
    if (!consumed) return rollback({ kind: "spent" });
    const outcome = await rotate(deps, pending, { verified: method, byRecoveryCode: name === "recovery code" });
    if (outcome.kind !== "verified") return rollback(outcome);
    await recordAccepted(deps, factor, consumed);
    return outcome;
  });
}

/** Records an accepted factor, and notifies the user by mail of a used recovery code. */
export async function recordAccepted(
  deps: FactorDeps,
  { pending, name, metadata }: VerifiedFactor,
  consumed: true | "backup changed",
): Promise<void> {
  const event = { pending, name, metadata };
  if (name === "recovery code") {
    const { recoveryCodesLeft: left } = await findFactors(deps.store, pending.userId);
    await notifyUser(deps, pending.userId, { template: { name: "recovery-code-used", left }, from: metadata });
  }
  if (consumed === "backup changed") await recordFactor(deps, "security-key.backup-changed", event);
  await recordFactor(deps, name === "recovery code" ? "recovery-code.used" : "factor.accepted", event);
}

/**
 * Stores the first factor of a user in the middle of a sign-in, in one transaction. Refused if the user has any factor
 * by now or the proof of identity is too old. Increments the user's generation, which ends all other sessions; this
 * pending sign-in moves to the new generation. The new factor counts as given.
 * @param keep stores the factor; returns false if the set-up is no longer valid
 */
export async function storeFirstFactor(
  context: FactorDeps,
  { pending, method, name, metadata }: VerifiedFactor,
  keep: (tx: Store) => Promise<boolean>,
): Promise<Verified | Unauthorized | Spent | AlreadyRegistered | ProofTooOld | Throttled> {
  const { userId, generation: expected } = pending;
  return context.store.tx<Verified | Unauthorized | Spent | AlreadyRegistered | ProofTooOld | Throttled>(async (tx) => {
    // First, because it locks the user: a concurrent set-up waits here and then finds another generation.
    const generation = await incrementGeneration(tx, userId, { expected, now: context.clock.now() });
    const deps = { ...context, store: tx };
    if (await hasFactorToGive(deps, userId)) return rollback({ kind: "factor already registered" });
    if (generation === null) return rollback({ kind: "unauthorized" });
    if (!maySetUp(pending, context.clock.now())) return rollback({ kind: "reauthentication_required" });
    if (!(await keep(tx))) return rollback({ kind: "spent" });
    const outcome = await rotate(deps, pending, { verified: method, setUpAt: { generation } });
    if (outcome.kind !== "verified") return rollback(outcome);
    await removeOneTimeTokensOfUser(tx, userId, SET_UP_KINDS);
    await endOtherSessions(deps, pending, { generation, proven: method });
    await endAccess({ store: tx }, userId);
    const factor = name === "totp" ? "totp" : "security key";
    await notifyUser(deps, userId, { template: { name: "factor-added", factor }, from: metadata });
    await recordFactor(deps, "factor.added", { pending, name, metadata });
    return outcome;
  });
}

/**
 * Ends the user's sessions except the one in which this sign-in began. That session moves to the new generation here:
 * if the browser never resumed the request, the session would be void while its applications still use it.
 */
async function endOtherSessions(
  { store, clock }: FactorDeps,
  { uid, userId, generation: from, sessionUid }: PendingSignIn,
  { generation: to, proven }: { generation: number; proven: VerifiedFactor["method"] },
): Promise<void> {
  const interaction = await findRecord(store, "Interaction", uid);
  const ownUid = sessionUid ?? interactionSchema.safeParse(interaction?.payload).data?.session?.uid ?? null;
  const now = clock.now();
  await queueLogouts({ store, now }, userId, { exceptUid: ownUid });
  await removeOtherEngineSessions(store, userId, ownUid);
  if (ownUid !== null) await moveSessions(store, { userId, from, to, uid: ownUid, proven, now });
}

const interactionSchema = z.object({ session: z.object({ uid: z.string() }).optional() });

/** Pending set-ups that a user with a factor can no longer finish. */
const SET_UP_KINDS = ["totp-setup", "webauthn-registration"] as const;

async function rotate(
  deps: FactorDeps,
  pending: PendingSignIn,
  progress: PendingProgress,
): Promise<Verified | Unauthorized | Throttled> {
  const throttled = await findThrottle(deps, pending.userId);
  if (throttled) return throttled;
  if (!(await isStepAlive(deps, pending))) return { kind: "unauthorized" };
  const mfaToken = await advancePending(deps, pending, progress);
  return mfaToken === null ? { kind: "unauthorized" } : { kind: "verified", mfaToken };
}
