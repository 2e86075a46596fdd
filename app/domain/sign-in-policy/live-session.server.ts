import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import {
  checkSignInPolicy,
  type SignInPolicyDeps,
  type SignInPolicyInput,
  type SignInPolicyResult,
} from "./sign-in-policy.server.ts";

/** The user of a session, the sign-in methods, and the user's generation at sign-in. */
export type SessionIdentity = { accountId: string | null; amr: readonly string[]; generation: number | null };

/** Requirements of a request on the session. */
export type SessionDemands = Pick<SignInPolicyInput, "demandsMfa" | "demandsFreshFactor">;

/**
 * Returns the subject of a live session. Null without a session, for a blocked or changed user, and if the session does
 * not satisfy the current sign-in policy.
 */
export async function findSubjectOfSession(
  context: SignInPolicyDeps,
  session: SessionIdentity | null,
  demands: SessionDemands = {},
): Promise<Subject | null> {
  const result = await checkSession(context, session, demands);
  return result.kind === "complete" ? result.subject : null;
}

/** Checks a session against the current sign-in policy; "refused" without a session. */
export async function checkSession(
  context: SignInPolicyDeps,
  session: SessionIdentity | null,
  { demandsMfa = false, demandsFreshFactor = false }: SessionDemands = {},
): Promise<SignInPolicyResult> {
  if (!session?.accountId || session.generation === null) return { kind: "refused" };
  const { accountId: userId, amr, generation } = session;
  return checkSignInPolicy(context, { userId, amr, generation, demandsMfa, demandsFreshFactor });
}
