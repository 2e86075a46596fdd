import { storeChosenPassword } from "#app/db/repositories/user-credentials.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { commitIf } from "#app/domain/commit-if.server.ts";
import { findSessionMethods } from "#app/domain/session/engine-session.server.ts";
import { isFresh, type SettingsAccess } from "#app/domain/settings/access.ts";
import {
  type ChangeDeps,
  changeAccount,
  type Done,
  type NotAllowed,
  recordSettings,
} from "#app/domain/settings/change-account.server.ts";
import { findSettingsUser } from "#app/domain/settings/grant.server.ts";
import {
  type Attempt,
  clearAccountFailures,
  clearAttempts,
  countAttempt,
  findAttemptWait,
} from "#app/domain/sign-in/throttle.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { checkNewPassword, type NewPasswordRefusal } from "./check-new.server.ts";
import { callerOf } from "./concurrency-limit.server.ts";
import type { PasswordHasher } from "./hash.server.ts";
import { checkRules, normalisePassword, type RuleResult } from "./rules.ts";

/** Dependencies of `changePassword`. */
export type PasswordChangeDeps = ChangeDeps & { hasher: PasswordHasher };

/** The three passwords as typed. `endOthers` ends the user's other sessions. */
export type PasswordChangeInput = RequestMetadata & {
  password: string;
  newPassword: string;
  newPasswordRepeat: string;
  endOthers: boolean;
};

/** Codes of refused password changes: those of section 5 of the specification, and "password-unchanged". */
export type PasswordChangeRefusal =
  | "No password given"
  | "Current password invalid"
  | "password-unchanged"
  | NewPasswordRefusal;

/** A refused change. `rules` and `containsName` describe the new password, as in `NewPasswordResult`. */
export type RefusedPassword = {
  kind: "refused";
  code: PasswordChangeRefusal;
  rules: RuleResult[];
  containsName: boolean;
};

/** Result of `changePassword`. `retryAfterSeconds`: time until the next attempt is allowed. */
export type PasswordChange = Done | NotAllowed | RefusedPassword | { kind: "throttled"; retryAfterSeconds: number };

/**
 * Changes the password of the user in the settings after verifying the current one. The current password is verified
 * last; failures are counted per user, apart from those at sign-in. Users without a password set their first one by a
 * mailed link. Throws DomainError "overloaded" when the hash queue is full; such an attempt is not counted.
 */
export async function changePassword(
  context: PasswordChangeDeps,
  access: SettingsAccess,
  input: PasswordChangeInput,
): Promise<PasswordChange> {
  if (!isFresh(access, context.clock.now())) return { kind: "reauthentication_required" };
  const user = await findSettingsUser(context.store, access);
  if (!user) return { kind: "unauthorized" };
  const { password, newPassword, newPasswordRepeat: repeat } = input;
  const refuse = refusalsOf(newPassword, repeat);
  if (password === "") return refuse("No password given");
  const checked = await checkNewPassword(context, { password: newPassword, repeat, user });
  if (checked.kind === "refused") return checked;
  const current = await checkCurrentPassword(context, { access, user, input });
  if (current.kind === "throttled") return current;
  if (current.kind === "wrong") return refuse("Current password invalid");
  if (normalisePassword(password) === normalisePassword(newPassword)) return refuse("password-unchanged");
  const hash = await context.hasher.hash(checked.password, callerOf(user.id, input.address));
  return changeAccount(context, access, input, {
    apply: async (store) => {
      const isFederated = await beganAtProvider(store, access);
      await storeChosenPassword(store, user.id, { hash, at: context.clock.now(), isFederated });
      await clearAccountFailures({ store, clock: context.clock }, user.username);
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

type CurrentPasswordResult = { kind: "right" } | { kind: "wrong" } | { kind: "throttled"; retryAfterSeconds: number };

/**
 * Verifies the current password unless the user is throttled. Counts a wrong one in the transaction that records it,
 * and checks the limit again for a right one, as at sign-in.
 */
async function checkCurrentPassword(
  context: PasswordChangeDeps,
  { access, user, input }: { access: SettingsAccess; user: User; input: PasswordChangeInput },
): Promise<CurrentPasswordResult> {
  const attempt = attemptOf(user, input);
  const waitSeconds = await findAttemptWait(context, attempt);
  const result: CurrentPasswordResult =
    waitSeconds > 0
      ? { kind: "throttled", retryAfterSeconds: waitSeconds }
      : await verifyCurrentPassword(context, { access, user, input, attempt });
  if (result.kind === "throttled") {
    const throttled = { type: "settings.throttled", outcome: "refused", reason: "password" } as const;
    await recordSettings(context, access, input, throttled);
  }
  return result;
}

async function verifyCurrentPassword(
  context: PasswordChangeDeps,
  tried: { access: SettingsAccess; user: User; input: PasswordChangeInput; attempt: Attempt },
): Promise<CurrentPasswordResult> {
  const { access, user, input, attempt } = tried;
  const { ok } = await context.hasher.verify(user.passwordHash, input.password, callerOf(user.id, input.address));
  return commitIf<CurrentPasswordResult>(
    context.store,
    ({ kind }) => kind !== "throttled",
    async (store) => {
      const deps = { ...context, store };
      const retryAfterSeconds = await (ok ? findAttemptWait(deps, attempt) : countAttempt(deps, attempt));
      if (retryAfterSeconds > 0) return { kind: "throttled", retryAfterSeconds };
      if (ok) {
        await clearAttempts(deps, attempt);
        return { kind: "right" };
      }
      const refused = { type: "password.refused", outcome: "refused", reason: "wrong password" } as const;
      await recordSettings(deps, access, input, refused);
      return { kind: "wrong" };
    },
  );
}

/** Returns the counter key: one per user for all settings access, separate from the counters of the sign-in form. */
function attemptOf(user: User, { address }: PasswordChangeInput): Attempt {
  return { username: user.username, address, knownBrowser: { userId: user.id, browserHash: "settings" } };
}
