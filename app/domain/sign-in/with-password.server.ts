import { findUserInBrowser } from "#app/db/repositories/known-browsers.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import type { AdministratorMailDeps } from "#app/domain/mail/notify.server.ts";
import { callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import {
  type Attempt,
  clearAttempts,
  countAttempt,
  countFailure,
  findAttemptLimits,
} from "#app/domain/password/throttle.server.ts";
import { upgradeHash } from "#app/domain/password/upgrade-hash.server.ts";
import { beginSecondFactor, type PendingDeps } from "#app/domain/pending-sign-in/pending.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { SignInPolicyResult } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { parseRememberedName } from "#app/domain/username/login-name.ts";
import { hashTypedName, parseLoginName } from "#app/domain/username/typed-name.server.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { type DeviceTokens, decideSignIn, type FinishDeps, finishSignIn } from "./finish.server.ts";

/** Dependencies of `signInWithPassword`. */
type PasswordSignInDeps = FinishDeps & PendingDeps & AdministratorMailDeps & { hasher: PasswordHasher };

/**
 * `username` (or e-mail address) and `password` as typed; `uid` of the interaction; `demandsMfa`: the client requires
 * two factors.
 */
export type PasswordSignInInput = SignInMetadata &
  DeviceTokens & {
    uid: string;
    username: string;
    password: string;
    demandsMfa?: boolean;
  };

/** Too many wrong passwords. `retryAfterSeconds`: time until the next attempt is allowed. */
type Throttled = { kind: "throttled"; retryAfterSeconds: number };

/** Result of `signInWithPassword`. */
export type SignIn =
  | { kind: "signed-in"; subject: Subject }
  /** The password was right. A pending sign-in was stored (domain/second-factor). */
  | { kind: "second-factor-required" }
  | { kind: "refused" }
  | Throttled;

/**
 * Reason of a refusal. Recorded in the audit trail only. `too many`: the user's attempts are exhausted; `changed`: the user
 * was blocked or changed meanwhile.
 */
type Refusal = "unknown user" | "blocked" | "no password" | "wrong password" | "too many" | "changed";

/** An attempt to sign in, and the user with this name. `isExhausted`: refuse the right password too. */
type Tried = { input: PasswordSignInInput; attempt: Attempt; user: User | null; isExhausted: boolean };

/**
 * Signs in with user name or verified e-mail address (docs/decisions/052-sign-in-by-e-mail-address.md) and password.
 * Unknown user, wrong password, blocked user and user without a password are
 * indistinguishable: each takes the same statements and one hash. A wrong password is counted in the transaction that
 * records the refusal (docs/decisions/051-attempts-are-counted-when-answered.md). Throws DomainError "overloaded" when
 * the hash queue is full; such an attempt is not counted.
 */
export async function signInWithPassword(context: PasswordSignInDeps, input: PasswordSignInInput): Promise<SignIn> {
  const { user, attempt } = await readAttempt(context.store, input);
  const { waitSeconds, isExhausted } = await findAttemptLimits(context, attempt);
  const tried = { input, user, attempt, isExhausted };
  const result = waitSeconds > 0 ? throttled(waitSeconds) : await checkPassword(context, tried);
  if (result.kind === "throttled") {
    const metadata = metadataOf(context, input, user);
    await recordEvent(context, { type: "sign-in.throttled", outcome: "refused", ...metadata });
  }
  return result;
}

function throttled(retryAfterSeconds: number): Throttled {
  return { kind: "throttled", retryAfterSeconds };
}

async function checkPassword(context: PasswordSignInDeps, tried: Tried): Promise<SignIn> {
  const { user, input } = tried;
  // Counted by what was typed, so that an overload does not reveal whose name or address it is, or if it exists.
  const caller = callerOf(hashTypedName(context.secrets, input.username), input.address);
  const verified = await context.hasher.verify(user?.passwordHash ?? null, input.password, caller);
  const refusal = refusalOf(tried, verified.ok);
  if (!user || refusal) return refuse(context, tried, refusal ?? "unknown user");
  const result = await accept(context, tried, user);
  if (result.kind === "throttled") return result;
  if (result.kind === "refused") return refuse(context, tried, "changed");
  // Last, so that the time of a throttled attempt does not reveal that its password is right.
  if (verified.needsRehash) await upgradeHash(context, { user, password: input.password, caller });
  return result.kind === "complete" ? { kind: "signed-in", subject: result.subject } : { kind: result.kind };
}

/**
 * Counts and records a refused attempt in one transaction. Throttled, and rolled back, if a limit is reached by now.
 */
async function refuse(
  context: PasswordSignInDeps,
  { input, attempt, user }: Tried,
  reason: Refusal,
): Promise<{ kind: "refused" } | Throttled> {
  return context.store.tx<{ kind: "refused" } | Throttled>(async (store) => {
    const deps = { ...context, store };
    const retryAfterSeconds = await countAttempt(deps, attempt);
    if (retryAfterSeconds > 0) return rollback(throttled(retryAfterSeconds));
    if (!attempt.knownBrowser) await countFailure(deps, attempt.address);
    await recordEvent(deps, {
      type: "sign-in.refused",
      outcome: "refused",
      reason,
      ...metadataOf(context, input, user),
    });
    return { kind: "refused" };
  });
}

/**
 * Finishes an attempt with the right password in one transaction. Throttled if a limit is reached by now, refused by
 * the sign-in policy if the user was blocked or changed meanwhile; both roll back.
 */
async function accept(
  context: PasswordSignInDeps,
  { input, attempt }: Tried,
  user: User,
): Promise<SignInPolicyResult | Throttled> {
  const provenAt = Math.floor(context.clock.now().getTime() / 1000);
  const proven = { ...input, userId: user.id, generation: user.generation, amr: ["pwd"] };
  return context.store.tx<SignInPolicyResult | Throttled>(async (store) => {
    const deps = { ...context, store };
    const { waitSeconds, isExhausted } = await findAttemptLimits(deps, attempt);
    if (waitSeconds > 0) return rollback(throttled(waitSeconds));
    const result: SignInPolicyResult = isExhausted ? { kind: "refused" } : await decideSignIn(deps, proven);
    if (result.kind === "refused") return rollback(result);
    await clearAttempts(deps, attempt);
    const typedUsername = parseRememberedName(input.username);
    if (result.kind === "second-factor-required") {
      await beginSecondFactor(deps, { ...input, ...result, provenAt, typedUsername });
    }
    await finishSignIn(deps, proven, result);
    return result;
  });
}

async function readAttempt(store: Store, input: PasswordSignInInput): Promise<{ user: User | null; attempt: Attempt }> {
  const { username: typedName, address } = input;
  const browserHash = hashToken(input.browser);
  const { user, browser } = await findUserInBrowser(store, { ...parseLoginName(typedName), browserHash });
  const knownBrowser = browser && { userId: browser.userId, browserHash };
  return { user, attempt: { typedName, userId: user?.id ?? null, address, knownBrowser } };
}

function refusalOf({ user, isExhausted }: Tried, isPasswordCorrect: boolean): Refusal | null {
  if (!user) return "unknown user";
  if (user.status !== "active") return "blocked";
  if (user.passwordHash === null) return "no password";
  if (!isPasswordCorrect) return "wrong password";
  return isExhausted ? "too many" : null;
}

/** The name of an unknown user is hashed, because users type passwords into the wrong field. */
function metadataOf({ secrets }: PasswordSignInDeps, input: PasswordSignInInput, user: User | null) {
  const { address, userAgent, requestId, clientId } = input;
  const name = user ? { username: user.username } : { nameHash: hashTypedName(secrets, input.username) };
  return { address, userAgent, requestId, clientId, userId: user?.id ?? null, ...name };
}
