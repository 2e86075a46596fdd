import { storeChosenPassword } from "#app/db/repositories/user-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type Done, isFresh, type NotAllowed, type SettingsAccess } from "#app/domain/access/access.ts";
import { findSettingsUser } from "#app/domain/access/grant.server.ts";
import { findSessionMethods } from "#app/domain/engine-session/engine-session.server.ts";
import { checkCurrentPassword } from "#app/domain/password/check-current.server.ts";
import { checkNewPassword, type NewPasswordRefusal } from "#app/domain/password/check-new.server.ts";
import { callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { checkRules, normalisePassword, type RuleResult } from "#app/domain/password/rules.ts";
import { clearAccountFailures } from "#app/domain/password/throttle.server.ts";
import type { SignInPolicyDeps } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { type ChangeDeps, changeAccount } from "./change-account.server.ts";
import { isPasswordEnough } from "./reauthenticate.server.ts";

/** Dependencies of `changePassword`. */
type PasswordChangeDeps = ChangeDeps & SignInPolicyDeps & { hasher: PasswordHasher };

/**
 * The three passwords as typed. `endOthers` ends the user's other sessions. `isProof`: the current password may replace a
 * recent proof of identity.
 */
export type PasswordChangeInput = RequestMetadata & {
  password: string;
  newPassword: string;
  newPasswordRepeat: string;
  endOthers: boolean;
  isProof: boolean;
};

/** Codes of refused password changes: those of section 5 of the specification, and "password-unchanged". */
type PasswordChangeRefusal =
  | "No password given"
  | "Current password invalid"
  | "password-unchanged"
  | NewPasswordRefusal;

/** A refused change. `rules` and `containsName` describe the new password, as in `NewPasswordResult`. */
type RefusedPassword = {
  kind: "refused";
  code: PasswordChangeRefusal;
  rules: RuleResult[];
  containsName: boolean;
};

/** Result of `changePassword`. `retryAfterSeconds`: time until the next attempt is allowed. */
type PasswordChange = Done | NotAllowed | RefusedPassword | { kind: "throttled"; retryAfterSeconds: number };

/**
 * Changes the password of the user in the settings after verifying the current one. The current password is verified
 * last; failures are counted per user, apart from those at sign-in. Users without a password set their first one by a
 * mailed link. With `isProof`, users whose password alone completes a sign-in need no other proof of identity
 * (docs/decisions/061-password-form-is-the-proof.md). Throws DomainError "overloaded" when the hash queue is full; such an
 * attempt is not counted.
 */
export async function changePassword(
  context: PasswordChangeDeps,
  access: SettingsAccess,
  input: PasswordChangeInput,
): Promise<PasswordChange> {
  const isRecent = () => isFresh(access, context.clock.now());
  if (!isRecent() && !input.isProof) return { kind: "reauthentication_required" };
  const user = await findSettingsUser(context.store, access);
  if (!user) return { kind: "unauthorized" };
  const isProven = async (store: Store) =>
    isRecent() || (input.isProof && (await isPasswordEnough({ ...context, store }, access, user)));
  if (!(await isProven(context.store))) return { kind: "reauthentication_required" };
  const { password, newPassword, newPasswordRepeat: repeat } = input;
  const refuse = refusalsOf(newPassword, repeat);
  if (password === "") return refuse("No password given");
  const checked = await checkNewPassword(context, { password: newPassword, repeat, user });
  if (checked.kind === "refused") return checked;
  const typed = { access, user, password, metadata: input, refusedEvent: "password.refused" } as const;
  const current = await checkCurrentPassword(context, typed, async () => true);
  if (current.kind === "throttled" || current.kind === "unauthorized") return current;
  if (current.kind === "wrong") return refuse("Current password invalid");
  if (normalisePassword(password) === normalisePassword(newPassword)) return refuse("password-unchanged");
  const hash = await context.hasher.hash(checked.password, callerOf(user.id, input.address));
  return changeAccount(context, access, input, {
    isProven,
    apply: async (store) => {
      const isFederated = await beganAtProvider(store, access);
      await storeChosenPassword(store, user.id, { hash, at: context.clock.now(), isFederated });
      await clearAccountFailures({ ...context, store }, user);
      return { kind: "done" };
    },
    template: { name: "password-changed" },
    event: "password.changed",
    // A user who suspects an intruder ends all other sessions; who rotates the password may keep them.
    others: input.endOthers ? "end" : "stay",
  });
}

/**
 * Returns true if the session behind the settings began at a provider. A password that was given together with a second
 * factor is not checked here: that sign-in already recorded it as proven.
 */
async function beganAtProvider(store: Store, { sessionUid }: SettingsAccess): Promise<boolean> {
  if (sessionUid === null) return false;
  return (await findSessionMethods(store, sessionUid)).includes("fed");
}

function refusalsOf(newPassword: string, repeat: string) {
  return (code: PasswordChangeRefusal): RefusedPassword => {
    return { kind: "refused", code, rules: checkRules(newPassword, repeat), containsName: false };
  };
}
