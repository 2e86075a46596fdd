import { recordExternalSignIn } from "#app/db/repositories/external-accounts.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError, hasCode } from "#app/domain/errors.ts";
import { findUserAndFactors, hasFactor } from "#app/domain/second-factor/factors.server.ts";
import { beginSecondFactor, type PendingDeps } from "#app/domain/second-factor/pending.server.ts";
import { type FinishDeps, finishSignIn } from "#app/domain/sign-in/finish.server.ts";
import type { Subject } from "#app/domain/sign-in/subject.server.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { CLOCK_LEEWAY_SECONDS, type ExternalIdentity } from "./identity.ts";

/** Dependencies of an external sign-in. */
export type ExternalSignInDeps = FinishDeps & PendingDeps;

/** `uid`: the engine's interaction; `demandsMfa`: the client requested two factors. */
export type ExternalSignInInput = SignInMetadata & { uid: string; demandsMfa?: boolean };

/** Result of signing in to the account of an external identity. */
export type ExternalSignIn =
  /** The pending sign-in is stored (domain/second-factor). */
  | { kind: "second-factor-required" }
  /** `authTime`: time of authentication at the provider, in seconds since the epoch; null if not given. */
  | { kind: "signed-in"; subject: Subject; authTime: number | null }
  /** The sign-in at the provider is too old, or the provider gave no `auth_time`. Nothing was changed. */
  | { kind: "not recent"; username: string; hasPassword: boolean }
  /** The user is blocked, or the account is no longer connected. */
  | { kind: "refused" };

/**
 * Time of authentication at a provider, in seconds since the epoch. `authTime`: `auth_time` of the ID token, null if
 * absent; `provenSince`: the earliest acceptable time, null for any.
 */
export type ExternalProof = { authTime: number | null; provenSince: number | null };

/**
 * Signs in the user whom an external identity is connected to, with amr `fed`, if the sign-in policy allows it. One
 * transaction, so that an account disconnected at the same moment is not opened. If the sign-in at the provider must be
 * recent and is not, a second factor of the user proves as much; a user without one is not signed in.
 * @param alsoWrite runs in the transaction, to consume a token; throws DomainError "account not connected" if it cannot
 */
export async function signInToAccount(
  context: ExternalSignInDeps,
  input: ExternalSignInInput & { userId: string; identity: ExternalIdentity; proof: ExternalProof },
  alsoWrite: (tx: Store) => Promise<void> = async () => undefined,
): Promise<ExternalSignIn> {
  const { identity, userId, proof } = input;
  const found = isRecent(proof) ? null : await findUserAndFactors(context.store, userId);
  if (found?.user.status === "active" && !hasFactor(found.factors)) {
    const { username, passwordHash } = found.user;
    return { kind: "not recent", username, hasPassword: passwordHash !== null };
  }
  try {
    const result = await finishSignIn(context, { ...input, amr: ["fed"] }, async (tx, allowed) => {
      await alsoWrite(tx);
      // The second factor was removed after it was read above.
      if (allowed.kind === "complete" && !isRecent(proof)) throw new DomainError("account not connected");
      const signIn = { userId, name: identity.name, now: context.clock.now() };
      if (!(await recordExternalSignIn(tx, identity, signIn))) throw new DomainError("account not connected");
      if (allowed.kind === "second-factor-required")
        await beginSecondFactor({ ...context, store: tx }, { ...input, ...allowed, provenAt: proof.authTime });
    });
    if (result.kind !== "complete") return { kind: result.kind };
    return { kind: "signed-in", subject: result.subject, authTime: proof.authTime };
  } catch (error) {
    if (!hasCode(error, "account not connected")) throw error;
    return { kind: "refused" };
  }
}

function isRecent({ authTime, provenSince }: ExternalProof): boolean {
  return provenSince === null || (authTime !== null && authTime + CLOCK_LEEWAY_SECONDS >= provenSince);
}
