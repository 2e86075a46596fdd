import { markPasswordProven } from "#app/db/repositories/mailed-passwords.server.ts";
import { consumeOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { commitIf } from "#app/domain/commit-if.server.ts";
import { mayRememberDevice, rememberDevice, type StoredDevice } from "#app/domain/remembered-device/remember.server.ts";
import { type FinishDeps, finishSignIn } from "#app/domain/sign-in/finish.server.ts";
import { type Subject, withFactors } from "#app/domain/sign-in/subject.server.ts";
import type { Unauthorized } from "./accept.server.ts";
import type { FactorInput } from "./attempts.server.ts";
import { findPending, isStepAlive, type PendingSignIn } from "./pending.server.ts";

/** Result of `finishSecondFactor`. */
export type SecondFactorFinish =
  /**
   * `authTime`: time of the last proof of identity, null if unknown. `signedInAt`: start of the live session if only
   * its second step was required, else null. Both in seconds since 1970. `sessionUid`: uid of that session. `device`: the remembered device, if any.
   * `typedUsername`: the user name or e-mail address that was typed with the password, else null.
   */
  | {
      kind: "signed-in";
      subject: Subject;
      authTime: number | null;
      signedInAt: number | null;
      sessionUid: string | null;
      device: StoredDevice | null;
      typedUsername: string | null;
    }
  | Unauthorized
  | { kind: "not verified" }
  | { kind: "refused" };

/**
 * Completes a sign-in after its second step: consumes the pending sign-in and checks the sign-in policy, in one
 * transaction. Of several simultaneous calls, one signs in. `uid` is the uid of the form's interaction; a token of
 * another interaction is "unauthorized". "not verified": no factor was given yet, and the token stays valid. "refused":
 * the sign-in policy refused. Marks a password given in the same sign-in as proven. `remembersDevice`: the user asked
 * to skip the second step in this browser from now on; ignored where that is not allowed.
 */
export async function finishSecondFactor(
  context: FinishDeps,
  input: FactorInput & { uid: string; remembersDevice?: boolean },
): Promise<SecondFactorFinish> {
  const pending = await findPending(context, input);
  if (pending?.uid !== input.uid) return { kind: "unauthorized" };
  if (pending.verified.length === 0) return { kind: "not verified" };
  const { userId, generation, clientId, tokenHash, typedUsername } = pending;
  const { sessionUid, sessionSince: signedInAt } = pending;
  const now = context.clock.now();
  const amr = withFactors(pending.amr, pending.verified);
  const commits = ({ kind }: SecondFactorFinish) => kind !== "unauthorized";
  return commitIf<SecondFactorFinish>(context.store, commits, async (tx) => {
    // First, because it locks the user: a change of the user locks the user before the pending sign-in, and another
    // order could deadlock.
    if (provesPassword(pending)) await markPasswordProven(tx, userId, { generation, at: now });
    const used = await consumeOneTimeToken(tx, { kind: "mfa", tokenHash, now });
    const deps = { ...context, store: tx };
    if (!used || !(await isStepAlive(deps, pending))) return { kind: "unauthorized" };
    let device: StoredDevice | null = null;
    const signIn = { ...input, userId, generation, clientId, amr };
    const result = await finishSignIn(deps, signIn, async (store, { kind }) => {
      if (kind === "complete") device = await rememberIfAsked({ ...context, store }, pending, input);
    });
    if (result.kind !== "complete") return { kind: "refused" };
    if (device !== null) {
      const { address, userAgent, requestId } = input;
      const metadata = { userId, clientId, address, userAgent, requestId };
      await recordEvent(deps, { type: "device.remembered", outcome: "ok", ...metadata });
    }
    const authTime = authTimeOf(pending, now);
    return { kind: "signed-in", subject: result.subject, authTime, signedInAt, sessionUid, device, typedUsername };
  });
}

async function rememberIfAsked(
  context: FinishDeps,
  pending: PendingSignIn,
  { remembersDevice = false, browser, userAgent }: FactorInput & { remembersDevice?: boolean },
): Promise<StoredDevice | null> {
  if (!remembersDevice || !(await mayRememberDevice(context, pending))) return null;
  const { userId, generation } = pending;
  return rememberDevice(context, { userId, generation, browser, userAgent });
}

/** Returns true if the password was given in this sign-in together with a factor that existed before it. */
function provesPassword({ amr, setUp, sessionSince }: PendingSignIn): boolean {
  return sessionSince === null && !setUp && amr.includes("pwd");
}

/** Returns the time of the proof of identity: now for a given factor, unchanged for a new factor or a live session. */
function authTimeOf({ provenAt, setUp, sessionSince }: PendingSignIn, now: Date): number | null {
  return setUp || sessionSince !== null ? provenAt : Math.floor(now.getTime() / 1000);
}
