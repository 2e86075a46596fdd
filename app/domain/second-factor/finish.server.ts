import { markPasswordProven } from "#app/db/repositories/mailed-passwords.server.ts";
import { consumeOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { type FinishDeps, finishSignIn } from "#app/domain/sign-in/finish.server.ts";
import type { Subject } from "#app/domain/sign-in/subject.server.ts";
import type { Unauthorized } from "./accept.server.ts";
import type { FactorInput } from "./attempts.server.ts";
import { findPending, type PendingSignIn } from "./pending.server.ts";

/** Result of `finishSecondFactor`. */
export type SecondFactorFinish =
  /**
   * `authTime`: time of the last proof of identity, null if unknown. `signedInAt`: start of the live session if only
   * its second step was required, else null. Both in seconds since 1970.
   */
  | { kind: "signed-in"; subject: Subject; authTime: number | null; signedInAt: number | null }
  | Unauthorized
  | { kind: "not verified" }
  | { kind: "refused" };

/**
 * Completes a sign-in after its second step: consumes the pending sign-in and checks the sign-in policy, in one
 * transaction. Of several simultaneous calls, one signs in. `uid` is the uid of the form's interaction; a token of
 * another interaction is "unauthorized". "not verified": no factor was given yet, and the token stays valid. "refused":
 * the sign-in policy refused. Marks a password given in the same sign-in as proven.
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
    const result = await finishSignIn({ ...context, store: tx }, { ...input, userId, generation, clientId, amr });
    if (result.kind !== "complete") return { kind: "refused" };
    if (provesPassword(pending)) await markPasswordProven(tx, userId, { generation, at: now });
    const authTime = authTimeOf(pending, now);
    return { kind: "signed-in", subject: result.subject, authTime, signedInAt: sessionSince };
  });
}

/** Returns true if the password was given in this sign-in together with a factor that existed before it. */
function provesPassword({ amr, setUp, sessionSince }: PendingSignIn): boolean {
  return sessionSince === null && !setUp && amr.includes("pwd");
}

/** Returns the time of the proof of identity: now for a given factor, unchanged for a new factor or a live session. */
function authTimeOf({ provenAt, setUp, sessionSince }: PendingSignIn, now: Date): number | null {
  return setUp || sessionSince !== null ? provenAt : Math.floor(now.getTime() / 1000);
}
