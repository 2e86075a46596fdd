import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import type { SettingsAccess, Unauthorized } from "#app/domain/access/access.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import type { AuditEventType } from "#app/domain/audit/events.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { callerOf } from "./concurrency-limit.server.ts";
import type { PasswordHasher } from "./hash.server.ts";
import {
  type Attempt,
  clearAttempts,
  countAttempt,
  findAttemptLimits,
  SETTINGS_BROWSER,
  type ThrottleDeps,
} from "./throttle.server.ts";

/** Dependencies of `checkCurrentPassword`. */
export type CurrentPasswordDeps = AuditDeps & ThrottleDeps & { hasher: PasswordHasher };

/** The user in the settings, and the current password as typed. `refusedEvent` records a wrong one. */
type CurrentPasswordInput = {
  access: SettingsAccess;
  user: User;
  password: string;
  metadata: RequestMetadata;
  refusedEvent: AuditEventType;
};

/** A refused password. `retryAfterSeconds`: time until the next attempt is allowed. */
export type RefusedCurrentPassword =
  | { kind: "wrong" }
  | { kind: "throttled"; retryAfterSeconds: number }
  | Unauthorized;

/** `accepted`: the result of `accept`; `needsRehash`: the hash has a lower cost than configured. */
type CheckedPassword<Accepted> = { kind: "right"; accepted: Accepted; needsRehash: boolean } | RefusedCurrentPassword;

/** Writes in the transaction of a right password. Null rolls back, and the result is "unauthorized". */
type Accept<Accepted> = (tx: Store) => Promise<Accepted | null>;

/**
 * Verifies the current password of the user in the settings, unless the user is throttled. Counts a wrong one in the
 * transaction that records it, and checks the limit again for a right one, as at sign-in. Failures are counted per user
 * over all settings access, apart from those at sign-in. Throws DomainError "overloaded" when the hash queue is full;
 * such an attempt is not counted.
 */
export async function checkCurrentPassword<Accepted>(
  context: CurrentPasswordDeps,
  input: CurrentPasswordInput,
  accept: Accept<Accepted>,
): Promise<CheckedPassword<Accepted>> {
  const { access, metadata } = input;
  const attempt = attemptOf(input);
  const { waitSeconds } = await findAttemptLimits(context, attempt);
  const result = waitSeconds > 0 ? throttled(waitSeconds) : await verify(context, { ...input, attempt, accept });
  if (result.kind === "throttled") {
    const event = { type: "settings.throttled", outcome: "refused", reason: "password" } as const;
    await recordSettings(context, access, metadata, event);
  }
  return result;
}

async function verify<Accepted>(
  context: CurrentPasswordDeps,
  tried: CurrentPasswordInput & { attempt: Attempt; accept: Accept<Accepted> },
): Promise<CheckedPassword<Accepted>> {
  const { access, user, password, metadata, refusedEvent, attempt, accept } = tried;
  const caller = callerOf(user.id, metadata.address);
  const { ok, needsRehash } = await context.hasher.verify(user.passwordHash, password, caller);
  return context.store.tx<CheckedPassword<Accepted>>(async (store) => {
    const deps = { ...context, store };
    const retryAfterSeconds = ok
      ? (await findAttemptLimits(deps, attempt)).waitSeconds
      : await countAttempt(deps, attempt);
    if (retryAfterSeconds > 0) return rollback(throttled(retryAfterSeconds));
    if (ok) {
      await clearAttempts(deps, attempt);
      const accepted = await accept(store);
      return accepted === null ? rollback({ kind: "unauthorized" }) : { kind: "right", accepted, needsRehash };
    }
    const refused = { type: refusedEvent, outcome: "refused", reason: "wrong password" } as const;
    await recordSettings(deps, access, metadata, refused);
    return { kind: "wrong" };
  });
}

function throttled(retryAfterSeconds: number) {
  return { kind: "throttled", retryAfterSeconds } as const;
}

/** Returns the counter key: one per user for all settings access, separate from the counters of the sign-in form. */
function attemptOf({ user, metadata: { address } }: CurrentPasswordInput): Attempt {
  const { id: userId, username: typedName } = user;
  return { typedName, userId, address, knownBrowser: { userId, browserHash: SETTINGS_BROWSER } };
}
