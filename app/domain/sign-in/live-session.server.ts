import { type GateContext, type GateVerdict, passGate } from "./policy.server.ts";
import type { Subject } from "./subject.server.ts";

/** What is known of a session: whose it is, how they signed in, and their generation at that time. */
export type SessionFacts = { accountId: string | null; amr: readonly string[]; generation: number | null };

/**
 * The person a live session stands for, or null when there is none: no session, a blocked person, a session older than
 * a password change, or one that no longer meets what a sign-in needs today. Asks the gate like every sign-in.
 */
export async function findSubjectOfSession(
  context: GateContext,
  session: SessionFacts | null,
): Promise<Subject | null> {
  const verdict = await checkSession(context, session);
  return verdict.kind === "complete" ? verdict.subject : null;
}

/** What the gate says today of the person a session stands for; "refused" without one. `demandsMfa` as for the gate. */
export async function checkSession(
  context: GateContext,
  session: SessionFacts | null,
  { demandsMfa = false }: { demandsMfa?: boolean } = {},
): Promise<GateVerdict> {
  if (!session?.accountId || session.generation === null) return { kind: "refused" };
  const { accountId: userId, amr, generation } = session;
  return passGate(context, { userId, amr, generation, demandsMfa });
}
