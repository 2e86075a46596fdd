import { findUser } from "#app/db/repositories/users.server.ts";
import { checkSession, type SessionIdentity } from "#app/domain/sign-in/live-session.server.ts";
import type { SignInPolicyDeps } from "#app/domain/sign-in/policy.server.ts";
import { findFactors, hasFactor } from "./factors.server.ts";
import { beginSecondFactor, findPendingOfRequest, maySetUp, type PendingDeps } from "./pending.server.ts";

/** A live session, and when its person last proved who they are. */
export type SteppingSession = SessionIdentity & { authTime: Date | null; signedInAt: number | null };

/**
 * Asks for the second step alone, where a live session lacks nothing else: a factor was registered, or a rule changed,
 * since it began, or the application wants two factors. The sign-in keeps the time of the session, which it does not
 * prolong. False when the session lacks more, or nothing, or has to set up a first factor with a proof of identity that
 * is too old for it.
 */
export async function beginStepUp(
  context: SignInPolicyDeps & PendingDeps,
  session: SteppingSession | null,
  { demandsMfa, ...request }: { uid: string; browser: string; clientId: string | null; demandsMfa: boolean },
): Promise<boolean> {
  const verdict = await checkSession(context, session, { demandsMfa });
  if (verdict.kind !== "second-factor-required" || !session || session.signedInAt === null) return false;
  const { authTime, signedInAt: sessionSince } = session;
  const provenAt = authTime && Math.floor(authTime.getTime() / 1000);
  const hasOne = hasFactor(await findFactors(context.store, verdict.userId));
  if (!hasOne && !maySetUp({ provenAt }, context.clock.now())) return false;
  await beginSecondFactor(context, { ...verdict, ...request, provenAt, sessionSince });
  return true;
}

/**
 * Whether the pending sign-in of a request has to set up a first factor, with a proof of identity that is too old for it.
 * False without a pending sign-in.
 */
export async function lacksProofForSetUp(
  context: Pick<PendingDeps, "store" | "clock">,
  place: { uid: string; browser: string },
): Promise<boolean> {
  const pending = await findPendingOfRequest(context, place);
  if (!pending || maySetUp(pending, context.clock.now())) return false;
  return !hasFactor(await findFactors(context.store, pending.userId));
}

/** A user who has to set up a first factor; `isProven`: with a proof of identity that is recent enough for it. */
export type FirstSetUp = { username: string; isProven: boolean };

/**
 * The user of a live session who has to set up a first factor before this request goes on, also while no second step was
 * begun. Null without a session, and for a session that lacks anything else, or nothing.
 */
export async function findFirstSetUp(
  context: SignInPolicyDeps & PendingDeps,
  session: SteppingSession | null,
  { demandsMfa }: { demandsMfa: boolean },
): Promise<FirstSetUp | null> {
  const verdict = await checkSession(context, session, { demandsMfa });
  if (verdict.kind !== "second-factor-required" || !session) return null;
  if (hasFactor(await findFactors(context.store, verdict.userId))) return null;
  const provenAt = session.authTime && Math.floor(session.authTime.getTime() / 1000);
  const isProven = session.signedInAt !== null && maySetUp({ provenAt }, context.clock.now());
  return { username: await findUsername(context, verdict.userId), isProven };
}

/** The name of a user who has to sign in once more, for the form; "" for a user who was removed meanwhile. */
export async function findUsername({ store }: Pick<PendingDeps, "store">, userId: string): Promise<string> {
  return (await findUser(store, userId))?.username ?? "";
}
