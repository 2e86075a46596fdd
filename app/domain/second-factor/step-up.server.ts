import type { Config } from "#app/config/config.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { hasFactorToGive } from "#app/domain/factor/factors.server.ts";
import {
  beginSecondFactor,
  findPendingOfRequest,
  maySetUp,
  type PendingDeps,
} from "#app/domain/pending-sign-in/pending.server.ts";
import {
  checkSession,
  type SessionDemands,
  type SessionIdentity,
} from "#app/domain/sign-in-policy/live-session.server.ts";
import type { SignInPolicyDeps } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";

/** Dependencies of the second step of a live session. */
type StepUpDeps = SignInPolicyDeps & PendingDeps & { config: Pick<Config, "passkeys"> };

/** A live session and the time of its last proof of identity. */
type StepUpSession = SessionIdentity & { uid: string; authTime: Date | null; signedInAt: number | null };

/**
 * Starts the second step for a live session that lacks only a second factor: a factor was added or the policy changed
 * since the sign-in, or the client requires one. Does not extend the session, and ends with it. Returns false if nothing or more is
 * lacking, or if a first factor must be set up and the proof of identity is too old.
 */
export async function beginStepUp(
  context: StepUpDeps,
  session: StepUpSession | null,
  request: { uid: string; browser: string; clientId: string | null },
  demands: SessionDemands,
): Promise<boolean> {
  const result = await checkSession(context, session, demands);
  if (result.kind !== "second-factor-required" || !session || session.signedInAt === null) return false;
  const { uid: sessionUid, authTime, signedInAt: sessionSince } = session;
  const provenAt = authTime && Math.floor(authTime.getTime() / 1000);
  const hasOwnFactor = await hasFactorToGive(context, result.userId);
  if (!hasOwnFactor && !maySetUp({ provenAt }, context.clock.now())) return false;
  await beginSecondFactor(context, { ...result, ...request, provenAt, sessionUid, sessionSince });
  return true;
}

/**
 * Returns true if the pending sign-in of an interaction has to set up a first factor and its proof of identity is too
 * old. False without a pending sign-in.
 */
export async function lacksProofForSetUp(
  context: Pick<PendingDeps, "store" | "clock"> & { config: Pick<Config, "passkeys"> },
  interaction: { uid: string; browser: string },
): Promise<boolean> {
  const pending = await findPendingOfRequest(context, interaction);
  if (!pending || maySetUp(pending, context.clock.now())) return false;
  return !(await hasFactorToGive(context, pending.userId));
}

/** A user who has to set up a first factor. `isProven`: the proof of identity is recent enough. */
type FirstSetUp = { username: string; isProven: boolean };

/**
 * Returns the user of a live session who has to set up a first factor, even if no second step was started. Null without
 * a session, and for a session that lacks nothing or something else.
 */
export async function findFirstSetUp(
  context: StepUpDeps,
  session: StepUpSession | null,
  demands: SessionDemands,
): Promise<FirstSetUp | null> {
  const result = await checkSession(context, session, demands);
  if (result.kind !== "second-factor-required" || !session) return null;
  if (await hasFactorToGive(context, result.userId)) return null;
  const provenAt = session.authTime && Math.floor(session.authTime.getTime() / 1000);
  const isProven = session.signedInAt !== null && maySetUp({ provenAt }, context.clock.now());
  return { username: await findUsername(context, result.userId), isProven };
}

/** Returns the user name for the sign-in form, or "" if the user was removed. */
export async function findUsername({ store }: Pick<PendingDeps, "store">, userId: string): Promise<string> {
  return (await findUser(store, userId))?.username ?? "";
}
