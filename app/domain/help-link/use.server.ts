import { consumeHelpLink } from "#app/db/repositories/help-links.server.ts";
import { consumeRecoveryCode } from "#app/db/repositories/recovery-codes.server.ts";
import { consumeStep, findTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { readCode } from "#app/domain/factor/code.ts";
import { findFactors, hasFactor } from "#app/domain/factor/factors.server.ts";
import { type FactorRemovalDeps, removeAllFactors } from "#app/domain/factor-reset/reset.server.ts";
import { type AdministratorMailDeps, notifyUser } from "#app/domain/mail/notify.server.ts";
import { checkNewPassword, type NewPasswordResult } from "#app/domain/password/check-new.server.ts";
import { callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { type Attempt, countAttempt, countFailure, findAttemptLimits } from "#app/domain/password/throttle.server.ts";
import { replacePassword } from "#app/domain/password-reset/reset.server.ts";
import {
  type FactorName,
  findThrottle,
  recordFactor,
  recordWrongFactor,
  refuseAttempt,
  type Throttled,
} from "#app/domain/pending-sign-in/attempts.server.ts";
import { hashInSet } from "#app/domain/recovery-code/hash.server.ts";
import { isSecondFactorRequired } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { checkTotp } from "#app/domain/totp/verify.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { findHelpOfBearer, type Help, type HelpDeps } from "./help.server.ts";

/** Dependencies of using help. */
type UseDeps = AuditDeps & HelpDeps & FactorRemovalDeps & AdministratorMailDeps & { hasher: PasswordHasher };

/** `bearer`: as of `findHelpOfBearer`; `password` as typed. */
type NewDeviceInput = { bearer: string; password: string } & RequestMetadata;

/** "error-token": the help cannot be used, or not for this change. */
type ErrorToken = { kind: "error-token" };

/** Result of `useForNewDevice`. `needsSetUp`: the next sign-in asks the user to set up a second factor. */
type NewDeviceOutcome = { kind: "done"; needsSetUp: boolean } | { kind: "wrong password" } | Throttled | ErrorToken;

/**
 * Removes all second factors of a person who got help for a new device and gives the right password. Consumes the help,
 * ends all sessions and notifies the person, in one transaction. Wrong passwords are counted as those of sign-ins. Throws
 * DomainError "overloaded" when the hash queue is full; the help stays valid.
 */
export async function useForNewDevice(context: UseDeps, input: NewDeviceInput): Promise<NewDeviceOutcome> {
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
    if (!(await consume(deps, help, input))) return rollback({ kind: "error-token" });
    if (!(await removeAllFactors(deps, user, input))) return rollback({ kind: "error-token" });
    return { kind: "done", needsSetUp: await isSecondFactorRequired(deps, user) };
  });
  return outcome.kind === "wrong password" ? refusePassword(context, { user, attempt, input }) : outcome;
}

async function refusePassword(
  context: UseDeps,
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

/** `code`: of the authenticator app or a recovery code, as typed; "" of a person without a second factor. */
type NewPasswordInput = { bearer: string; password: string; repeat: string; code: string } & RequestMetadata;

/** Result of `useForNewPassword`. `isFirst`: the person had no password before. */
type NewPasswordOutcome =
  | { kind: "done"; username: string; isFirst: boolean }
  | Extract<NewPasswordResult, { kind: "refused" }>
  | { kind: "wrong code" }
  | Throttled
  | ErrorToken;

/**
 * Sets the password of a person who got help for a new password and, if the person has a second factor, gives a code.
 * Consumes help and code, ends all sessions and notifies the person, in one transaction. The password is checked first,
 * so that a refused one uses up no code. Throws DomainError "overloaded" when the hash queue is full; the help stays valid.
 */
export async function useForNewPassword(context: UseDeps, input: NewPasswordInput): Promise<NewPasswordOutcome> {
  const help = await findHelpOfBearer(context, input.bearer);
  if (help?.kind !== "new-password") return { kind: "error-token" };
  const { user } = help;
  const checked = await checkNewPassword(context, { password: input.password, repeat: input.repeat, user });
  if (checked.kind === "refused") return checked;
  const code = await checkCode(context, user, input);
  if (code.kind !== "right") return code;
  const hash = await context.hasher.hash(checked.password, callerOf(user.id, input.address));
  const outcome = await context.store.tx<NewPasswordOutcome | Spent>(async (store) => {
    const deps = { ...context, store };
    if (!(await consume(deps, help, input))) return rollback({ kind: "error-token" });
    const throttled = await findThrottle(deps, user.id);
    if (throttled) return rollback(throttled);
    // Before the password's new generation, and only if no factor was added or removed since.
    if (!(await code.consume(store))) return rollback({ kind: "spent" });
    if (code.name !== null) await recordCode(deps, { user, name: code.name, input });
    const fields = { generation: user.generation, hash, mailedTo: null };
    if (!(await replacePassword(deps, user, { ...fields, metadata: input }))) return rollback({ kind: "error-token" });
    return { kind: "done", username: user.username, isFirst: user.passwordHash === null };
  });
  return outcome.kind === "spent" ? refuseCode(context, { user, name: code.name ?? "totp", input }) : outcome;
}

/** The code was used by a simultaneous request. */
type Spent = { kind: "spent" };

/** `name`: null for a person without a second factor. */
type RightCode = { kind: "right"; name: FactorName | null; consume: (tx: Store) => Promise<boolean> };

/** Checks the code of a person with a second factor, without consuming it. */
async function checkCode(
  context: UseDeps,
  user: User,
  input: NewPasswordInput,
): Promise<RightCode | { kind: "wrong code" } | Throttled> {
  const { store, secrets, clock } = context;
  if (!hasFactor(await findFactors(store, user.id))) return { kind: "right", name: null, consume: async () => true };
  const throttled = await findThrottle(context, user.id);
  if (throttled) return throttled;
  const parsed = readCode(input.code);
  if (parsed.kind === "malformed") return { kind: "wrong code" };
  const now = clock.now();
  if (parsed.kind === "recovery") {
    const name = "recovery code";
    const codeHash = await hashInSet(context, { userId: user.id, code: parsed.code, address: input.address });
    if (codeHash === null) return refuseCode(context, { user, name, input });
    return { kind: "right", name, consume: (tx) => consumeRecoveryCode(tx, user.id, { codeHash, now }) };
  }
  const name = "totp";
  const credential = await findTotpCredential(store, user.id);
  const secretBase32 = credential && (await secrets.open("totp", credential.sealedSecret));
  const result = secretBase32 ? await checkTotp({ secretBase32, code: parsed.code, now }, credential) : null;
  if (result?.kind !== "right") return refuseCode(context, { user, name, input });
  return { kind: "right", name, consume: (tx) => consumeStep(tx, user.id, result.step, now) };
}

type UsedCode = { user: User; name: FactorName; input: NewPasswordInput };

/** Counts and records a wrong code, as one of a sign-in. */
function refuseCode(context: UseDeps, { user, name, input }: UsedCode): Promise<{ kind: "wrong code" } | Throttled> {
  return refuseAttempt<{ kind: "wrong code" }>(context, user.id, async (store) => {
    await recordWrongFactor({ ...context, store }, { pending: pendingOf(user), name, metadata: input });
    return { kind: "wrong code" };
  });
}

async function recordCode(deps: UseDeps, { user, name, input }: UsedCode): Promise<void> {
  const isRecoveryCode = name === "recovery code";
  if (isRecoveryCode) {
    const { recoveryCodesLeft: left } = await findFactors(deps.store, user.id);
    await notifyUser(deps, user.id, { template: { name: "recovery-code-used", left }, from: input });
  }
  const event = { pending: pendingOf(user), name, metadata: input };
  await recordFactor(deps, isRecoveryCode ? "recovery-code.used" : "factor.accepted", event);
}

/** The code is not part of a sign-in to an application. */
function pendingOf({ id: userId }: User) {
  return { userId, clientId: null };
}

/**
 * Consumes the help in the transaction of the change, and records its use. Locks the roles first, so that the giver is
 * still allowed to help when the transaction ends. Returns false if the help cannot be used any more.
 */
async function consume(deps: UseDeps, { id, kind, user }: Help, input: RequestMetadata & { bearer: string }) {
  await deps.store.lock("roles");
  const usable = await findHelpOfBearer(deps, input.bearer);
  if (usable?.id !== id || usable.user.generation !== user.generation) return false;
  const presented = { id, userId: user.id, kind, generation: user.generation, now: deps.clock.now() };
  if (!(await consumeHelpLink(deps.store, presented))) return false;
  await recordEvent(deps, { type: "help.used", outcome: "ok", reason: kind, ...metadataOf(user, input) });
  return true;
}

function metadataOf(
  { id: userId, username }: User,
  { address, userAgent, requestId }: Pick<RequestMetadata, "address" | "userAgent" | "requestId">,
) {
  return { userId, username, address, userAgent, requestId };
}
