import { checkSignInPolicy, type SignInPolicyDeps, type SignInPolicyResult } from "./policy.server.ts";
import type { Subject } from "./subject.server.ts";

/** What is known of a session: whose it is, how they signed in, and their generation at that time. */
export type SessionIdentity = { accountId: string | null; amr: readonly string[]; generation: number | null };

/**
 * The person a live session stands for, or null when there is none: no session, a blocked person, a session older than
 * a password change, or one that no longer meets what a sign-in needs today. Asks the gate like every sign-in.
 */
export async function findSubjectOfSession(
  context: SignInPolicyDeps,
  session: SessionIdentity | null,
): Promise<Subject | null> {
  const verdict = await checkSession(context, session);
  return verdict.kind === "complete" ? verdict.subject : null;
}

/** What the gate says today of the person a session stands for; "refused" without one. `demandsMfa` as for the gate. */
export async function checkSession(
  context: SignInPolicyDeps,
  session: SessionIdentity | null,
  { demandsMfa = false }: { demandsMfa?: boolean } = {},
): Promise<SignInPolicyResult> {
  if (!session?.accountId || session.generation === null) return { kind: "refused" };
  const { accountId: userId, amr, generation } = session;
  return checkSignInPolicy(context, { userId, amr, generation, demandsMfa });
}
