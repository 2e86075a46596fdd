import { findUserInBrowser } from "#app/db/repositories/known-browsers.server.ts";
import { replacePasswordHash } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { hasCode } from "#app/domain/errors.ts";
import type { AdministratorMailDeps } from "#app/domain/mail/notify.server.ts";
import { type Caller, callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { beginSecondFactor, type PendingDeps } from "#app/domain/second-factor/pending.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { canonicalForm, parseUsername } from "#app/domain/username/canonical.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { type FinishDeps, finishSignIn } from "./finish.server.ts";
import type { Subject } from "./subject.server.ts";
import {
  type Attempt,
  admitAttempt,
  countFailure,
  findUnknownBrowserWait,
  refundAttempt,
  settleAttempt,
} from "./throttle.server.ts";

/** Dependencies of `signInWithPassword`. */
export type PasswordSignInDeps = FinishDeps & PendingDeps & AdministratorMailDeps & { hasher: PasswordHasher };

/** `username` and `password` as typed; `uid` of the interaction; `demandsMfa`: the client requires two factors. */
export type PasswordSignInInput = SignInMetadata & {
  uid: string;
  username: string;
  password: string;
  demandsMfa?: boolean;
};

/** Result of `signInWithPassword`. `retryAfterSeconds`: time until the next attempt is allowed. */
export type SignIn =
  | { kind: "signed-in"; subject: Subject }
  /** The password was right. A pending sign-in was stored (domain/second-factor). */
  | { kind: "second-factor-required" }
  | { kind: "refused" }
  | { kind: "throttled"; retryAfterSeconds: number };

/** Reason of a refusal. Recorded in the audit trail only. */
type Refusal = "unknown user" | "blocked" | "no password" | "wrong password";

/**
 * Signs in with user name and password. Unknown user, wrong password, blocked user and user without a password are
 * indistinguishable: each takes the same statements and one hash. A throttled attempt is not checked. Throws
 * DomainError "overloaded" when the hash queue is full; such an attempt is refunded.
 */
export async function signInWithPassword(context: PasswordSignInDeps, input: PasswordSignInInput): Promise<SignIn> {
  const { user, attempt } = await readAttempt(context.store, input);
  const globalWaitSeconds = attempt.knownBrowser ? 0 : await findUnknownBrowserWait(context);
  const retryAfterSeconds = globalWaitSeconds > 0 ? globalWaitSeconds : await admitAttempt(context, attempt);
  if (retryAfterSeconds > 0) {
    await recordEvent(context, { type: "sign-in.throttled", outcome: "refused", ...metadataOf(input, user) });
    return { kind: "throttled", retryAfterSeconds };
  }
  const verified = await verifyPassword(context, attempt, user, input.password);
  const refusal = refusalOf(user, verified.ok);
  if (!user || refusal) {
    await context.store.tx(async (store) => {
      const deps = { ...context, store };
      if (!attempt.knownBrowser) await countFailure(deps, attempt.address);
      const metadata = metadataOf(input, user);
      await recordEvent(deps, { type: "sign-in.refused", outcome: "refused", reason: refusal, ...metadata });
    });
    return { kind: "refused" };
  }
  const newHash = verified.needsRehash
    ? await rehash(context.hasher, input.password, callerOfAttempt(attempt, user))
    : null;
  const provenAt = Math.floor(context.clock.now().getTime() / 1000);
  const proven = { ...input, userId: user.id, generation: user.generation, amr: ["pwd"] };
  const result = await finishSignIn(context, proven, async (tx, allowed) => {
    const deps = { ...context, store: tx };
    await settleAttempt(deps, attempt);
    if (allowed.kind === "second-factor-required") await beginSecondFactor(deps, { ...input, ...allowed, provenAt });
    // Replaces only the verified hash: a password changed meanwhile stays.
    if (newHash && user.passwordHash)
      await replacePasswordHash(tx, user.id, { expected: user.passwordHash, hash: newHash });
  });
  return result.kind === "complete" ? { kind: "signed-in", subject: result.subject } : { kind: result.kind };
}

async function readAttempt(store: Store, input: PasswordSignInInput): Promise<{ user: User | null; attempt: Attempt }> {
  const name = parseUsername(input.username);
  const browserHash = hashToken(input.browser);
  // The empty name matches no user: invalid names take the same statement.
  const { user, browser } = await findUserInBrowser(store, { canonical: name.ok ? name.canonical : "", browserHash });
  const knownBrowser = browser && { userId: browser.userId, browserHash };
  return { user, attempt: { username: input.username, address: input.address, knownBrowser } };
}

async function verifyPassword(
  context: PasswordSignInDeps,
  attempt: Attempt,
  user: User | null,
  password: string,
): Promise<{ ok: boolean; needsRehash: boolean }> {
  try {
    return await context.hasher.verify(user?.passwordHash ?? null, password, callerOfAttempt(attempt, user));
  } catch (error) {
    if (hasCode(error, "overloaded")) await refundAttempt(context, attempt);
    throw error;
  }
}

/** An unknown name counts as an account, so that an overload does not reveal if the name exists. */
function callerOfAttempt({ username, address }: Attempt, user: User | null): Caller {
  return callerOf(user?.id ?? canonicalForm(username), address);
}

function refusalOf(user: User | null, isPasswordCorrect: boolean): Refusal | null {
  if (!user) return "unknown user";
  if (user.status !== "active") return "blocked";
  if (user.passwordHash === null) return "no password";
  return isPasswordCorrect ? null : "wrong password";
}

/** Hashes at the current cost. Returns null when the hash queue is full; the next sign-in retries. */
async function rehash(hasher: PasswordHasher, password: string, caller: Caller): Promise<string | null> {
  try {
    return await hasher.hash(password, caller);
  } catch (error) {
    if (hasCode(error, "overloaded")) return null;
    throw error;
  }
}

function metadataOf(input: PasswordSignInInput, user: User | null) {
  const { username, address, userAgent, requestId, clientId } = input;
  return { username, address, userAgent, requestId, clientId, userId: user?.id ?? null };
}
