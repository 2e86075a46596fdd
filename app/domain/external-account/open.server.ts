import { useExternalAccount } from "#app/db/repositories/external-accounts.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError, hasCode } from "#app/domain/errors.ts";
import { findPersonWithFactors, hasFactor } from "#app/domain/second-factor/factors.server.ts";
import { beginSecondFactor, type PendingDeps } from "#app/domain/second-factor/pending.server.ts";
import { type FinishDeps, finishSignIn } from "#app/domain/sign-in/finish.server.ts";
import type { Subject } from "#app/domain/sign-in/subject.server.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { CLOCK_LEEWAY_SECONDS, type ExternalIdentity } from "./identity.ts";

/** What an external sign-in touches. */
export type ExternalSignInDeps = FinishDeps & PendingDeps;

/** `uid` of the engine's interaction; `demandsMfa` where the application wants two factors. */
export type ExternalSignInInput = SignInMetadata & { uid: string; demandsMfa?: boolean };

export type ExternalSignIn =
  /** The sign-in waits for its second step (domain/second-factor). */
  | { kind: "second-factor-required" }
  /** `authTime`: when the user last proved who they are, in seconds since 1970; null where the provider does not say. */
  | { kind: "signed-in"; subject: Subject; authTime: number | null }
  /** The sign-in at the provider is too long ago, or the provider did not say when it was. Nothing was done. */
  | { kind: "not recent"; username: string; hasPassword: boolean }
  /** Blocked, or no longer connected. */
  | { kind: "refused" };

/**
 * When a person signed in at a provider: `authTime` as the ID token says, null where it does not; `provenSince`: the time
 * since which it must have been, null for any time. Both in seconds since 1970.
 */
export type ExternalProof = { authTime: number | null; provenSince: number | null };

/**
 * Opens the account of a user to an identity that it is connected with: the gate of every sign-in, amr `fed`. All in one
 * transaction, so that an account that is disconnected at the same moment is not opened. Where the sign-in at the provider
 * has to be recent and is not, the user's own second factor proves as much; a user without one is not signed in.
 * @param alongside what the path has to spend in it; it throws DomainError "account not connected" where it cannot
 */
export async function openAccount(
  context: ExternalSignInDeps,
  input: ExternalSignInInput & { userId: string; identity: ExternalIdentity; proof: ExternalProof },
  alongside: (tx: Store) => Promise<void> = async () => undefined,
): Promise<ExternalSignIn> {
  const { identity, userId, proof } = input;
  const found = isRecent(proof) ? null : await findPersonWithFactors(context.store, userId);
  if (found?.user.status === "active" && !hasFactor(found.factors)) {
    const { username, passwordHash } = found.user;
    return { kind: "not recent", username, hasPassword: passwordHash !== null };
  }
  try {
    const verdict = await finishSignIn(context, { ...input, amr: ["fed"] }, async (tx, open) => {
      await alongside(tx);
      // The factor that was to be asked for is gone since.
      if (open.kind === "complete" && !isRecent(proof)) throw new DomainError("account not connected");
      const use = { userId, name: identity.name, now: context.clock.now() };
      if (!(await useExternalAccount(tx, identity, use))) throw new DomainError("account not connected");
      if (open.kind === "second-factor-required")
        await beginSecondFactor({ ...context, store: tx }, { ...input, ...open, provenAt: proof.authTime });
    });
    if (verdict.kind !== "complete") return { kind: verdict.kind };
    return { kind: "signed-in", subject: verdict.subject, authTime: proof.authTime };
  } catch (error) {
    if (!hasCode(error, "account not connected")) throw error;
    return { kind: "refused" };
  }
}

function isRecent({ authTime, provenSince }: ExternalProof): boolean {
  return provenSince === null || (authTime !== null && authTime + CLOCK_LEEWAY_SECONDS >= provenSince);
}
