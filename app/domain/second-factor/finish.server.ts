import { consumeOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { type FinishContext, finishSignIn } from "#app/domain/sign-in/finish.server.ts";
import type { Subject } from "#app/domain/sign-in/subject.server.ts";
import type { Unauthorized } from "./accept.server.ts";
import { findPending } from "./pending.server.ts";
import type { FactorInput } from "./record.server.ts";

export type SecondFactorFinish =
  /** `authTime`: seconds since 1970 of the live session when only the second step was asked, else null. */
  | { kind: "signed-in"; subject: Subject; authTime: number | null }
  | Unauthorized
  | { kind: "not verified" }
  | { kind: "refused" };

/**
 * Ends a sign-in after its second step: uses the pending sign-in up and asks the gate, in one transaction, so that of
 * many at once one signs in. `uid`: of the engine's interaction that the form was for; a token of another one is
 * unauthorized. "not verified" while no factor was given: the token stays. "refused": the gate said no.
 */
export async function finishSecondFactor(
  context: FinishContext,
  input: FactorInput & { uid: string },
): Promise<SecondFactorFinish> {
  const pending = await findPending(context, input);
  if (pending?.uid !== input.uid) return { kind: "unauthorized" };
  if (pending.verified.length === 0) return { kind: "not verified" };
  const { userId, generation, clientId, authTime, tokenHash } = pending;
  const amr = [...new Set([...pending.amr, ...pending.verified, "mfa"])];
  return context.store.tx(async (tx) => {
    const used = await consumeOneTimeToken(tx, { kind: "mfa", tokenHash, now: context.clock.now() });
    if (!used) return { kind: "unauthorized" };
    const verdict = await finishSignIn({ ...context, store: tx }, { ...input, userId, generation, clientId, amr });
    return verdict.kind === "complete"
      ? { kind: "signed-in", subject: verdict.subject, authTime }
      : { kind: "refused" };
  });
}
