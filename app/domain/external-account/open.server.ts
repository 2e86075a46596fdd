import { useExternalAccount } from "#app/db/repositories/external-accounts.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError, hasCode } from "#app/domain/errors.ts";
import { beginSecondFactor, type PendingParts } from "#app/domain/second-factor/pending.server.ts";
import { type FinishContext, finishSignIn, type SignInFacts } from "#app/domain/sign-in/finish.server.ts";
import type { Subject } from "#app/domain/sign-in/subject.server.ts";
import type { ExternalIdentity } from "./identity.ts";

/** What an external sign-in touches. */
export type ExternalSignInContext = FinishContext & PendingParts;

/** `uid` of the engine's interaction; `demandsMfa` where the application wants two factors. */
export type ExternalSignInInput = SignInFacts & { uid: string; demandsMfa?: boolean };

export type ExternalSignIn =
  | { kind: "signed-in"; subject: Subject }
  /** The sign-in waits for its second step (domain/second-factor). */
  | { kind: "second-factor-required" }
  /** Blocked, or no longer connected. */
  | { kind: "refused" };

/**
 * Opens the account of a user to an identity that it is connected with: the gate of every sign-in, amr `fed`. All in one
 * transaction, so that an account that is disconnected at the same moment is not opened.
 * @param alongside what the path has to spend in it; it throws DomainError "account not connected" where it cannot
 */
export async function openAccount(
  context: ExternalSignInContext,
  input: ExternalSignInInput & { userId: string; identity: ExternalIdentity },
  alongside: (tx: Store) => Promise<void> = async () => undefined,
): Promise<ExternalSignIn> {
  const { identity, userId } = input;
  try {
    const verdict = await finishSignIn(context, { ...input, amr: ["fed"] }, async (tx, open) => {
      await alongside(tx);
      const use = { userId, name: identity.name, now: context.clock.now() };
      if (!(await useExternalAccount(tx, identity, use))) throw new DomainError("account not connected");
      if (open.kind === "second-factor-required")
        await beginSecondFactor({ ...context, store: tx }, { ...input, ...open, authTime: null });
    });
    return verdict.kind === "complete" ? { kind: "signed-in", subject: verdict.subject } : { kind: verdict.kind };
  } catch (error) {
    if (!hasCode(error, "account not connected")) throw error;
    return { kind: "refused" };
  }
}
