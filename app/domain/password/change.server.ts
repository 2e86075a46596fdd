import { storeChosenPassword } from "#app/db/repositories/user-credentials.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hasCode } from "#app/domain/errors.ts";
import { findSessionMethods } from "#app/domain/session/engine-session.server.ts";
import { isFresh, type SettingsAccess } from "#app/domain/settings/access.ts";
import { type ChangeDeps, changeAccount, type Done, type NotAllowed } from "#app/domain/settings/change.server.ts";
import { findOwner } from "#app/domain/settings/owner.server.ts";
import { recordSettings } from "#app/domain/settings/record.server.ts";
import {
  type Attempt,
  admitAttempt,
  forgetAccountFailures,
  settleAttempt,
  takeBackAttempt,
} from "#app/domain/sign-in/throttle.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { checkNewPassword, type NewPasswordRefusal } from "./check-new.server.ts";
import { callerOf } from "./concurrency-limit.server.ts";
import type { PasswordHasher } from "./hash.server.ts";
import { checkRules, normalisePassword, type RuleVerdict } from "./rules.ts";

/** What changing a password touches. */
export type PasswordChangeDeps = ChangeDeps & { hasher: PasswordHasher };

/** The three passwords as typed; `endOthers`: whether the person's other sessions end. */
export type PasswordChangeInput = RequestMetadata & {
  password: string;
  newPassword: string;
  newPasswordRepeat: string;
  endOthers: boolean;
};

export type PasswordChangeRefusal =
  | "No password given"
  | "Current password invalid"
  | "password-unchanged"
  | NewPasswordRefusal;

/** `rules`: those of the new password, each met or not; `containsName` as for every new password. */
export type RefusedPassword = {
  kind: "refused";
  code: PasswordChangeRefusal;
  rules: RuleVerdict[];
  containsName: boolean;
};

export type PasswordChange = Done | NotAllowed | RefusedPassword | { kind: "throttled"; retryAfterSeconds: number };

/**
 * Gives the person in the settings another password, once they typed the present one. That one is looked at last, and
 * guesses at it are counted like those of a browser that signed in before. Somebody without a password sets a first one by
 * a mailed link. Throws DomainError "overloaded" when too many hashes wait; such an attempt does not count.
 */
export async function changePassword(
  context: PasswordChangeDeps,
  access: SettingsAccess,
  input: PasswordChangeInput,
): Promise<PasswordChange> {
  if (!isFresh(access, context.clock.now())) return { kind: "reauthentication_required" };
  const user = await findOwner(context.store, access);
  if (!user) return { kind: "unauthorized" };
  const { password, newPassword, newPasswordRepeat: repeat } = input;
  const refuse = refusalsOf(newPassword, repeat);
  if (password === "") return refuse("No password given");
  const checked = await checkNewPassword(context, { password: newPassword, repeat, user });
  if (checked.kind === "refused") return checked;
  const present = await checkPresent(context, { access, user, input });
  if (present.kind === "throttled") return present;
  if (present.kind === "wrong") return refuse("Current password invalid");
  if (normalisePassword(password) === normalisePassword(newPassword)) return refuse("password-unchanged");
  const hash = await context.hasher.hash(checked.password, callerOf(user.id, input.address));
  return changeAccount(context, access, input, {
    apply: async (store) => {
      const isFederated = await beganAtProvider(store, access);
      await storeChosenPassword(store, user.id, { hash, at: context.clock.now(), isFederated });
      await forgetAccountFailures({ store, clock: context.clock }, user.username);
      return { kind: "done" };
    },
    template: { name: "password-changed" },
    event: "password.changed",
    others: input.endOthers ? "end" : "stay",
  });
}

/**
 * Whether the session of the settings began at a provider. A second factor that was given with the password needs no
 * check here: that sign-in has recorded the password as proven.
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

type Present = { kind: "right" } | { kind: "wrong" } | { kind: "throttled"; retryAfterSeconds: number };

/** Checks the password that the person has now, unless too many were wrong. */
async function checkPresent(
  context: PasswordChangeDeps,
  { access, user, input }: { access: SettingsAccess; user: User; input: PasswordChangeInput },
): Promise<Present> {
  const attempt = attemptOf(user, input);
  const retryAfterSeconds = await admitAttempt(context, attempt);
  if (retryAfterSeconds > 0) {
    const throttled = { type: "settings.throttled", outcome: "refused", reason: "password" } as const;
    await recordSettings(context, access, input, throttled);
    return { kind: "throttled", retryAfterSeconds };
  }
  if (await isRight(context, attempt, user, input.password)) {
    await settleAttempt(context, attempt);
    return { kind: "right" };
  }
  const refused = { type: "password.refused", outcome: "refused", reason: "wrong password" } as const;
  await recordSettings(context, access, input, refused);
  return { kind: "wrong" };
}

/** One counter per person, for all ways into the settings: strangers at the sign-in have no part in it. */
function attemptOf(user: User, { address }: PasswordChangeInput): Attempt {
  return { username: user.username, address, knownBrowser: { userId: user.id, browserHash: "settings" } };
}

async function isRight(context: PasswordChangeDeps, attempt: Attempt, user: User, password: string): Promise<boolean> {
  try {
    const caller = callerOf(user.id, attempt.address);
    const { ok } = await context.hasher.verify(user.passwordHash, password, caller);
    return ok;
  } catch (error) {
    if (hasCode(error, "overloaded")) await takeBackAttempt(context, attempt);
    throw error;
  }
}
