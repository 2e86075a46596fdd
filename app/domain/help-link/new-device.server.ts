import type { User } from "#app/db/schema.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { type FactorRemovalDeps, removeAllFactors } from "#app/domain/factor-reset/reset.server.ts";
import type { AdministratorMailDeps } from "#app/domain/mail/notify.server.ts";
import { callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { type Attempt, countAttempt, countFailure, findAttemptLimits } from "#app/domain/password/throttle.server.ts";
import type { Throttled } from "#app/domain/pending-sign-in/attempts.server.ts";
import { isSecondFactorRequired } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { consumeHelp, type ErrorToken, metadataOf } from "./consume.server.ts";
import { findHelpOfBearer, type HelpDeps } from "./help.server.ts";

/** Dependencies of `resetFactorsByHelp`. */
type NewDeviceDeps = AuditDeps & HelpDeps & FactorRemovalDeps & AdministratorMailDeps & { hasher: PasswordHasher };

/** `bearer`: as of `findHelpOfBearer`; `password` as typed. */
type NewDeviceInput = { bearer: string; password: string } & RequestMetadata;

/** Result of `resetFactorsByHelp`. `needsSetUp`: the next sign-in asks the user to set up a second factor. */
type NewDeviceOutcome = { kind: "done"; needsSetUp: boolean } | { kind: "wrong password" } | Throttled | ErrorToken;

/**
 * Removes all second factors of a person who got help for a new device and gives the right password. Consumes the help,
 * ends all sessions and notifies the person, in one transaction. Wrong passwords are counted as those of sign-ins. Throws
 * DomainError "overloaded" when the hash queue is full; the help stays valid.
 */
export async function resetFactorsByHelp(context: NewDeviceDeps, input: NewDeviceInput): Promise<NewDeviceOutcome> {
  const help = await findHelpOfBearer(context, input.bearer);
  if (help?.kind !== "new-device") return { kind: "error-token" };
  const { user } = help;
  const attempt: Attempt = { typedName: user.username, userId: user.id, address: input.address, knownBrowser: null };
  const { waitSeconds, isExhausted } = await findAttemptLimits(context, attempt);
  if (waitSeconds > 0) return { kind: "throttled", retryAfterSeconds: waitSeconds };
  const { ok } = await context.hasher.verify(user.passwordHash, input.password, callerOf(user.id, input.address));
  if (!ok || isExhausted) return refusePassword(context, { user, attempt, input });
  const outcome = await context.store.tx<NewDeviceOutcome>(async (store) => {
    const deps = { ...context, store };
    const limits = await findAttemptLimits(deps, attempt);
    if (limits.waitSeconds > 0) return rollback({ kind: "throttled", retryAfterSeconds: limits.waitSeconds });
    if (limits.isExhausted) return rollback({ kind: "wrong password" });
    if (!(await consumeHelp(deps, help, input))) return rollback({ kind: "error-token" });
    if (!(await removeAllFactors(deps, user, input))) return rollback({ kind: "error-token" });
    return { kind: "done", needsSetUp: await isSecondFactorRequired(deps, user) };
  });
  return outcome.kind === "wrong password" ? refusePassword(context, { user, attempt, input }) : outcome;
}

async function refusePassword(
  context: NewDeviceDeps,
  { user, attempt, input }: { user: User; attempt: Attempt; input: NewDeviceInput },
): Promise<{ kind: "wrong password" } | Throttled> {
  return context.store.tx<{ kind: "wrong password" } | Throttled>(async (store) => {
    const deps = { ...context, store };
    const retryAfterSeconds = await countAttempt(deps, attempt);
    if (retryAfterSeconds > 0) return rollback({ kind: "throttled", retryAfterSeconds });
    await countFailure(deps, input.address);
    await recordEvent(deps, {
      type: "help.refused",
      outcome: "refused",
      reason: "wrong password",
      ...metadataOf(user, input),
    });
    return { kind: "wrong password" };
  });
}
