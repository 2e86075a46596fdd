import type { Logger } from "pino";
import { z } from "zod";
import { removeOtherEngineSessions } from "#app/db/repositories/engine-sessions.server.ts";
import { findRecord } from "#app/db/repositories/oidc-records.server.ts";
import { removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { raiseGeneration } from "#app/db/repositories/user-generation.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { queueLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import { keepIf } from "#app/domain/keep-if.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import { endAccess } from "#app/domain/session/end-access.server.ts";
import { moveSessions } from "#app/domain/session/engine-session.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { takeBackFactorAttempt } from "./attempts.server.ts";
import { findFactors, hasFactor } from "./factors.server.ts";
import {
  advancePending,
  maySetUp,
  type PendingDeps,
  type PendingProgress,
  type PendingSignIn,
} from "./pending.server.ts";
import { type FactorName, recordFactor } from "./record.server.ts";

/** What every call about a factor touches. */
export type FactorDeps = PendingDeps & MailDeps & { log: Logger };

/** The factor was right; `mfaToken` takes the place of the one that was sent, which is dead. */
export type Verified = { kind: "verified"; mfaToken: string };

/** No pending sign-in of this browser has this token, or another call was faster. */
export type Unauthorized = { kind: "unauthorized" };

/** The factor cannot be taken: it was spent already, or what it was about is gone. */
export type Spent = { kind: "spent" };

export type AlreadyRegistered = { kind: "factor already registered" };

/** A first factor cannot be set up: the proof of identity of this sign-in is too old. */
export type ProofTooOld = { kind: "reauthentication_required" };

/** A right factor. `method`: its `amr` value (RFC 8176); `facts`: where the request comes from. */
export type GivenFactor = {
  pending: PendingSignIn;
  method: "otp" | "hwk";
  name: FactorName;
  facts: RequestMetadata;
};

/**
 * Takes a right factor for a pending sign-in, all in one transaction or nothing: spends it, rotates the mfa_token, and
 * takes the counted attempt back.
 * @param spend what makes the factor good once; false when it is spent already
 */
export async function acceptFactor(
  context: FactorDeps,
  { pending, method, name, facts }: GivenFactor,
  spend: (tx: Store) => Promise<boolean>,
): Promise<Verified | Unauthorized | Spent> {
  return keptIfVerified<Unauthorized | Spent>(context.store, async (tx) => {
    if (!(await spend(tx))) return { kind: "spent" };
    const parts = { ...context, store: tx };
    const outcome = await rotate(parts, pending, { verified: method });
    if (outcome.kind !== "verified") return outcome;
    if (name === "recovery code") {
      const { recoveryCodesLeft: left } = await findFactors(tx, pending.userId);
      await notifyUser(parts, pending.userId, { template: { name: "recovery-code-used", left }, from: facts });
    }
    const type = name === "recovery code" ? "recovery-code.used" : "factor.accepted";
    await recordFactor(parts, type, { pending, name, facts });
    return outcome;
  });
}

/**
 * Keeps the first factor of somebody who sets it up in the middle of the sign-in, all in one transaction or nothing. Who
 * has a factor is refused, also when it comes at the same moment. The generation moves on, so that all other sessions
 * die, and this pending sign-in goes with it. A factor that was set up counts as given.
 * Refused when the proof of identity has become too old meanwhile.
 * @param keep what stores the factor; false when the set-up is over
 */
export async function keepFirstFactor(
  context: FactorDeps,
  { pending, method, name, facts }: GivenFactor,
  keep: (tx: Store) => Promise<boolean>,
): Promise<Verified | Unauthorized | Spent | AlreadyRegistered | ProofTooOld> {
  const { userId, generation: expected } = pending;
  return keptIfVerified<Unauthorized | Spent | AlreadyRegistered | ProofTooOld>(context.store, async (tx) => {
    // First, and from the generation that was read: whoever else sets up a factor now waits here, and finds it moved.
    const generation = await raiseGeneration(tx, userId, { expected, now: context.clock.now() });
    if (hasFactor(await findFactors(tx, userId))) return { kind: "factor already registered" };
    if (generation === null) return { kind: "unauthorized" };
    if (!maySetUp(pending, context.clock.now())) return { kind: "reauthentication_required" };
    if (!(await keep(tx))) return { kind: "spent" };
    const parts = { ...context, store: tx };
    const outcome = await rotate(parts, pending, { verified: method, setUpAt: { generation } });
    if (outcome.kind !== "verified") return outcome;
    await removeOneTimeTokensOfUser(tx, userId, SET_UP_KINDS);
    await endOtherSessions(parts, pending, { generation, proven: method });
    await endAccess({ store: tx }, userId);
    const factor = name === "totp" ? "totp" : "security key";
    await notifyUser(parts, userId, { template: { name: "factor-added", factor }, from: facts });
    await recordFactor(parts, "factor.added", { pending, name, facts });
    return outcome;
  });
}

/**
 * Ends the sessions of the user but the one that this sign-in began with. That one moves to the new generation with the
 * new factor in the same transaction: if the browser is closed before it resumes the request, the session would otherwise
 * be void while its applications still use it.
 */
async function endOtherSessions(
  { store, clock }: FactorDeps,
  { uid, userId, generation: from }: PendingSignIn,
  { generation: to, proven }: { generation: number; proven: GivenFactor["method"] },
): Promise<void> {
  const interaction = await findRecord(store, "Interaction", uid);
  const own = interactionSchema.safeParse(interaction?.payload).data?.session?.uid ?? null;
  const now = clock.now();
  await queueLogouts({ store, now }, userId, { exceptUid: own });
  await removeOtherEngineSessions(store, userId, own);
  if (own !== null) await moveSessions(store, { userId, from, to, uid: own, proven, now });
}

const interactionSchema = z.object({ session: z.object({ uid: z.string() }).optional() });

/** Set-ups that somebody who has a factor can no longer end: their secrets go at once. */
const SET_UP_KINDS = ["totp-setup", "webauthn-registration"] as const;

async function rotate(
  parts: FactorDeps,
  pending: PendingSignIn,
  progress: PendingProgress,
): Promise<Verified | Unauthorized> {
  const mfaToken = await advancePending(parts, pending, progress);
  if (mfaToken === null) return { kind: "unauthorized" };
  await takeBackFactorAttempt(parts, pending.userId);
  return { kind: "verified", mfaToken };
}

/** Keeps what the work did when its outcome is "verified", and undoes all of it else. */
async function keptIfVerified<Refusal extends { kind: string }>(
  store: Store,
  work: (tx: Store) => Promise<Verified | Refusal>,
): Promise<Verified | Refusal> {
  return keepIf(store, ({ kind }) => kind === "verified", work);
}
