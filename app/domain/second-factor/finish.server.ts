import { markPasswordProven } from "#app/db/repositories/mailed-passwords.server.ts";
import { consumeOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { type FinishDeps, finishSignIn } from "#app/domain/sign-in/finish.server.ts";
import type { Subject } from "#app/domain/sign-in/subject.server.ts";
import type { Unauthorized } from "./accept.server.ts";
import { findPending, type PendingSignIn } from "./pending.server.ts";
import type { FactorInput } from "./record.server.ts";

export type SecondFactorFinish =
  /**
   * `authTime`: when the user last proved who they are, null where that is not known; `signedInAt`: when the live session
   * began if only its second step was asked, else null; both in seconds since 1970.
   */
  | { kind: "signed-in"; subject: Subject; authTime: number | null; signedInAt: number | null }
  | Unauthorized
  | { kind: "not verified" }
  | { kind: "refused" };

/**
 * Ends a sign-in after its second step: uses the pending sign-in up and asks the gate, in one transaction, so that of
 * many at once one signs in. `uid`: of the engine's interaction that the form was for; a token of another one is
 * unauthorized. "not verified" while no factor was given: the token stays. "refused": the gate said no. Records that a
 * password was proven which was given in the same sign-in.
 */
export async function finishSecondFactor(
  context: FinishDeps,
  input: FactorInput & { uid: string },
): Promise<SecondFactorFinish> {
  const pending = await findPending(context, input);
  if (pending?.uid !== input.uid) return { kind: "unauthorized" };
  if (pending.verified.length === 0) return { kind: "not verified" };
  const { userId, generation, clientId, tokenHash, sessionSince } = pending;
  const now = context.clock.now();
  const amr = [...new Set([...pending.amr, ...pending.verified, "mfa"])];
  return context.store.tx(async (tx) => {
    const used = await consumeOneTimeToken(tx, { kind: "mfa", tokenHash, now });
    if (!used) return { kind: "unauthorized" };
    const verdict = await finishSignIn({ ...context, store: tx }, { ...input, userId, generation, clientId, amr });
    if (verdict.kind !== "complete") return { kind: "refused" };
    if (provesPassword(pending)) await markPasswordProven(tx, userId, { generation, at: now });
    const authTime = authTimeOf(pending, now);
    return { kind: "signed-in", subject: verdict.subject, authTime, signedInAt: sessionSince };
  });
}

/** A live session's password was not given here, and a factor that was set up on the way proves nothing. */
function provesPassword({ amr, setUp, sessionSince }: PendingSignIn): boolean {
  return sessionSince === null && !setUp && amr.includes("pwd");
}

/** A factor that was given is a proof of now; one that was set up is none, and a live session keeps its time. */
function authTimeOf({ provenAt, setUp, sessionSince }: PendingSignIn, now: Date): number | null {
  return setUp || sessionSince !== null ? provenAt : Math.floor(now.getTime() / 1000);
}
