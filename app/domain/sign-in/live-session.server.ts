import { type GateContext, passGate } from "./gate.server.ts";
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
  if (!session?.accountId || session.generation === null) return null;
  const { accountId: userId, amr, generation } = session;
  const verdict = await passGate(context, { userId, amr, generation });
  return verdict.kind === "complete" ? verdict.subject : null;
}
