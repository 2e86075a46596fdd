import type { Config } from "#app/config/config.ts";
import { isMfaRequiredOfUser } from "#app/db/repositories/group-members.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { REMEMBERED_DEVICE, type Subject, subjectOf } from "#app/domain/engine-session/subject.server.ts";
import { findUserAndFactors, hasFactor, type UserAndFactors } from "#app/domain/factor/factors.server.ts";

/** Dependencies of the sign-in policy. */
export type SignInPolicyDeps = { store: Store; config: Pick<Config, "mfaPolicy" | "mfaRememberDays"> };

/**
 * `generation`: the policy refuses unless the user still has it. `demandsMfa`: the client requires two factors.
 * `demandsFreshFactor`: the request does not accept a remembered device instead of a second factor.
 */
export type SignInPolicyInput = {
  userId: string;
  amr: readonly string[];
  generation?: number;
  demandsMfa?: boolean;
  demandsFreshFactor?: boolean;
};

/** `generation` and `amr` are stored in the pending sign-in. */
export type SignInPolicyResult =
  | { kind: "complete"; subject: Subject }
  | { kind: "refused" }
  | { kind: "second-factor-required"; userId: string; generation: number; amr: string[] };

/**
 * Decides if a sign-in is complete; every path that can end in a session calls it. Reads the user again and refuses if
 * the user is removed, blocked or changed. Without `mfa` in `amr`, requires a second factor if the user has one, or if
 * the client, MFA_POLICY or a group of the user requires it. A remembered device is accepted instead, unless the client,
 * the request or the group requires the factor itself.
 */
export async function checkSignInPolicy(
  context: SignInPolicyDeps,
  input: SignInPolicyInput,
): Promise<SignInPolicyResult> {
  const found = await findUserAndFactors(context.store, input.userId);
  if (found?.user.status !== "active") return { kind: "refused" };
  const { user } = found;
  if (input.generation !== undefined && input.generation !== user.generation) return { kind: "refused" };
  if (!input.amr.includes("mfa") && (input.demandsMfa || lacksSecondFactor(context, found, input))) {
    return { kind: "second-factor-required", userId: user.id, generation: user.generation, amr: [...input.amr] };
  }
  return { kind: "complete", subject: subjectOf(user, input.amr) };
}

function lacksSecondFactor(
  context: Pick<SignInPolicyDeps, "config">,
  found: UserAndFactors,
  { amr, demandsFreshFactor = false }: SignInPolicyInput,
): boolean {
  const isRequired = context.config.mfaPolicy === "required" || found.isMfaRequiredOfUser;
  const isNeeded = hasFactor(found.factors) || isRequired;
  if (!isNeeded || demandsFreshFactor || !amr.includes(REMEMBERED_DEVICE)) return isNeeded;
  return !acceptsRememberedDevice(context, found);
}

/**
 * Returns true if a remembered device may replace the user's second factor: MFA_REMEMBER_DAYS allows it, the user has
 * a factor, and no group of the user requires one.
 */
export function acceptsRememberedDevice(
  { config }: Pick<SignInPolicyDeps, "config">,
  { factors, isMfaRequiredOfUser }: UserAndFactors,
): boolean {
  return config.mfaRememberDays > 0 && hasFactor(factors) && !isMfaRequiredOfUser;
}

/** The user of a token. `isMfaRequiredOfUser`: absent if it has not been read. `isMfaRequiredByClient`: of the token. */
type UserOfToken = { id: string; isMfaRequiredOfUser?: boolean; isMfaRequiredByClient: boolean };

/**
 * Returns true unless MFA_POLICY, the client or a group of the user requires a second factor and the sign-in with these
 * methods had none. For tokens, which may outlive their session. The user's own factors do not count: adding one ends
 * the tokens that it has to end.
 */
export async function satisfiesRules(
  context: SignInPolicyDeps,
  user: UserOfToken,
  amr: readonly string[],
): Promise<boolean> {
  if (amr.includes("mfa")) return true;
  if (user.isMfaRequiredByClient) return false;
  const isOfUser = user.isMfaRequiredOfUser ?? (await isMfaRequiredOfUser(context.store, user.id));
  if (context.config.mfaPolicy !== "required" && !isOfUser) return true;
  if (!amr.includes(REMEMBERED_DEVICE)) return false;
  const found = await findUserAndFactors(context.store, user.id);
  return found !== null && acceptsRememberedDevice(context, found);
}

/** Returns true if MFA_POLICY or a group of the user requires a second factor, even of users without one. */
export async function isSecondFactorRequired(
  { store, config }: { store: Store; config: Pick<Config, "mfaPolicy"> },
  { id }: { id: string },
): Promise<boolean> {
  return config.mfaPolicy === "required" || isMfaRequiredOfUser(store, id);
}
