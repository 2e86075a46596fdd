import type { GateContext } from "#app/domain/sign-in/gate.server.ts";
import { checkSession, type SessionFacts } from "#app/domain/sign-in/live-session.server.ts";
import { beginSecondFactor, type PendingParts } from "./pending.server.ts";

/** A live session, and when its person last proved who they are. */
export type SteppingSession = SessionFacts & { authTime: Date | null };

/**
 * Asks for the second step alone, where a live session lacks nothing else: a factor was registered, or a rule changed,
 * since it began, or the application wants two factors. The sign-in keeps the time of the session, which it does not prolong. False when the session lacks
 * more, or nothing.
 */
export async function beginStepUp(
  context: GateContext & PendingParts,
  session: SteppingSession | null,
  { demandsMfa, ...request }: { uid: string; browser: string; clientId: string | null; demandsMfa: boolean },
): Promise<boolean> {
  const verdict = await checkSession(context, session, { demandsMfa });
  if (verdict.kind !== "second-factor-required" || !session?.authTime) return false;
  const authTime = Math.floor(session.authTime.getTime() / 1000);
  await beginSecondFactor(context, { ...verdict, ...request, authTime });
  return true;
}
