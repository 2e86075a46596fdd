import type { Config } from "#app/config/config.ts";
import { findGroup } from "#app/db/repositories/groups.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type Factors, findUserAndFactors, hasFactor } from "#app/domain/second-factor/factors.server.ts";
import { type Subject, subjectOf } from "./subject.server.ts";

/** Dependencies of the sign-in policy. */
export type SignInPolicyDeps = { store: Store; config: Pick<Config, "mfaPolicy"> };

/** `generation`: the policy refuses unless the user still has it. `demandsMfa`: the client requires two factors. */
export type SignInPolicyInput = { userId: string; amr: readonly string[]; generation?: number; demandsMfa?: boolean };

/** `generation` and `amr` are stored in the pending sign-in. */
export type SignInPolicyResult =
  | { kind: "complete"; subject: Subject }
  | { kind: "refused" }
  | { kind: "second-factor-required"; userId: string; generation: number; amr: string[] };

/**
 * Decides if a sign-in is complete; every path that can end in a session calls it. Reads the user again and refuses if
 * the user is removed, blocked or changed. Without `mfa` in `amr`, requires a second factor if the user has one, or if
 * the client, MFA_POLICY or the user's group requires it.
 */
export async function checkSignInPolicy(
  context: SignInPolicyDeps,
  input: SignInPolicyInput,
): Promise<SignInPolicyResult> {
  const found = await findUserAndFactors(context.store, input.userId);
  if (found?.user.status !== "active") return { kind: "refused" };
  const { user } = found;
  if (input.generation !== undefined && input.generation !== user.generation) return { kind: "refused" };
  if (!input.amr.includes("mfa") && (input.demandsMfa || (await needsSecondFactor(context, found)))) {
    return { kind: "second-factor-required", userId: user.id, generation: user.generation, amr: [...input.amr] };
  }
  return { kind: "complete", subject: subjectOf(user, input.amr) };
}

async function needsSecondFactor(
  context: SignInPolicyDeps,
  { user, factors }: { user: User; factors: Factors },
): Promise<boolean> {
  return hasFactor(factors) || (await isSecondFactorRequired(context, user));
}

/** Returns true if MFA_POLICY or the user's group requires a second factor, even of users without one. */
export async function isSecondFactorRequired(
  { store, config }: SignInPolicyDeps,
  user: Pick<User, "groupId">,
): Promise<boolean> {
  if (config.mfaPolicy === "required") return true;
  if (user.groupId === null) return false;
  const group = await findGroup(store, user.groupId);
  return group?.requireMfa ?? false;
}
