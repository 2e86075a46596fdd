import type { User } from "#app/db/schema.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import { findSettingsUser } from "#app/domain/access/grant.server.ts";
import { renewProof } from "#app/domain/access/page-session.server.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import { findSessionMethods } from "#app/domain/engine-session/engine-session.server.ts";
import {
  type CurrentPasswordDeps,
  checkCurrentPassword,
  type RefusedCurrentPassword,
} from "#app/domain/password/check-current.server.ts";
import { callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import { upgradeHash } from "#app/domain/password/upgrade-hash.server.ts";
import { checkSignInPolicy, type SignInPolicyDeps } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import type { Random, RequestMetadata } from "#app/ports.ts";

/** Dependencies of `reauthenticate`. */
type ReauthenticationDeps = CurrentPasswordDeps & SignInPolicyDeps & { random: Random };

/** Result of `reauthenticate`. `token`: value of the settings cookie from now on. */
type Reauthentication =
  | { kind: "done"; token: string }
  /** The password alone is not enough: the user has to sign in again. The password was not checked. */
  | { kind: "sign-in required" }
  | RefusedCurrentPassword;

/**
 * Proves the identity of the user in the settings by the password (docs/decisions/059-reauthentication-by-password.md).
 * The page session is replaced in the transaction that records the success, so that the earlier cookie is invalid.
 * "unauthorized": the page session ended or the user was changed meanwhile. Throws DomainError "overloaded" when the hash
 * queue is full; such an attempt is not counted.
 */
export async function reauthenticate(
  context: ReauthenticationDeps,
  access: SettingsAccess,
  { password, ...metadata }: RequestMetadata & { password: string },
): Promise<Reauthentication> {
  const user = await findSettingsUser(context.store, access);
  if (!user) return { kind: "unauthorized" };
  if (!(await isPasswordEnough(context, access, user))) return { kind: "sign-in required" };
  const typed = { access, user, password, metadata, refusedEvent: "reauthentication.refused" } as const;
  const checked = await checkCurrentPassword(context, typed, async (tx) => {
    const deps = { ...context, store: tx };
    const token = (await isPasswordEnough(deps, access, user)) ? await renewProof(deps, access) : null;
    if (token === null) return null;
    await recordSettings(deps, access, metadata, { type: "reauthentication.succeeded", outcome: "ok" });
    return token;
  });
  if (checked.kind !== "right") return checked;
  // Last, so that the time of a throttled attempt does not reveal that its password is right.
  const caller = callerOf(user.id, metadata.address);
  if (checked.needsRehash) await upgradeHash(context, { user, password, caller });
  return { kind: "done", token: checked.accepted };
}

/** Returns the user name if the user can prove the identity by the password alone; null if a new sign-in is needed. */
export async function findReauthenticationName(
  context: SignInPolicyDeps,
  access: SettingsAccess,
): Promise<string | null> {
  const user = await findSettingsUser(context.store, access);
  return user && (await isPasswordEnough(context, access, user)) ? user.username : null;
}

/**
 * Returns true if the sign-in policy would complete a sign-in by this user's password alone. False for a session that
 * began at a provider, which may make a mailed password the owner's (docs/decisions/027-mailed-passwords.md).
 */
export async function isPasswordEnough(
  context: SignInPolicyDeps,
  { userId, generation, sessionUid }: SettingsAccess,
  { passwordHash }: User,
): Promise<boolean> {
  if (passwordHash === null) return false;
  if (sessionUid !== null && (await findSessionMethods(context.store, sessionUid)).includes("fed")) return false;
  const result = await checkSignInPolicy(context, { userId, generation, amr: ["pwd"] });
  return result.kind === "complete";
}
