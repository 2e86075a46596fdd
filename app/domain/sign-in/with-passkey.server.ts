import type { Config } from "#app/config/config.ts";
import { storeSignIn } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { type AuditEvent, recordEvent } from "#app/domain/audit/record.server.ts";
import { type Subject, USER_PRESENCE } from "#app/domain/engine-session/subject.server.ts";
import { findFactors, hasFactor } from "#app/domain/factor/factors.server.ts";
import { type Attempt, countAttempt, findAttemptLimits } from "#app/domain/password/throttle.server.ts";
import { beginSecondFactor, type PendingDeps } from "#app/domain/pending-sign-in/pending.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { VerifiedAssertion } from "#app/domain/webauthn/assertion.server.ts";
import type { PasskeyResponse } from "#app/domain/webauthn/passkey.server.ts";
import { isPasskeyChallenge, spendPasskeyChallenge } from "#app/domain/webauthn/passkey-challenge.server.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { decideSignIn, type FinishDeps, finishSignIn } from "./finish.server.ts";

/** Dependencies of `signInWithPasskey`. */
type PasskeySignInDeps = FinishDeps & PendingDeps & { config: Pick<Config, "issuer"> };

/**
 * `assertion`: JSON of the browser's response, any text; `uid` of the interaction; `demandsMfa`: the client requires two
 * factors.
 */
export type PasskeySignInInput = SignInMetadata & { uid: string; assertion: string; demandsMfa?: boolean };

/** Too many failures. `retryAfterSeconds`: time until the next attempt is allowed. */
type Throttled = { kind: "throttled"; retryAfterSeconds: number };

/** Result of `signInWithPasskey`. */
export type PasskeySignIn =
  | { kind: "signed-in"; subject: Subject }
  /** The authenticator did not verify the user. A pending sign-in was stored (domain/second-factor). */
  | { kind: "second-factor-required" }
  /** The authenticator did not verify the user, and the user has no other factor: the password must be given. */
  | { kind: "password-required"; username: string }
  | { kind: "refused" }
  | Throttled;

/**
 * Reason of a refusal. Recorded in the audit trail only. `unknown`: not registered, removed, or of another user;
 * `challenge`: forged, spent, or of another browser or interaction; `counter`: the signature counter did not increase;
 * `changed`: the user was blocked or changed meanwhile.
 */
type Refusal = "unknown" | "blocked" | "challenge" | "verification" | "counter" | "changed";

type Tried = { input: PasskeySignInInput; attempt: Attempt; response: PasskeyResponse };

/** Loaded on demand: the library takes as long to load as oidc-provider. */
const passkeys = () => import("#app/domain/webauthn/passkey.server.ts");
const assertions = () => import("#app/domain/webauthn/assertion.server.ts");

/**
 * Signs in with a passkey: the response to a challenge of this interaction and browser (`issuePasskeyChallenge`), each of
 * which counts for one response. With user verification, the passkey is two factors. Without, it is one, and a second
 * step always follows. Unknown and removed passkeys, those of blocked users, and invalid responses are
 * indistinguishable. Failures are counted for the address or the known browser, as wrong passwords are.
 */
export async function signInWithPasskey(context: PasskeySignInDeps, input: PasskeySignInInput): Promise<PasskeySignIn> {
  const { readPasskeyResponse } = await passkeys();
  const response = await readPasskeyResponse(context, input);
  const { passkey } = response;
  const knownBrowser = passkey?.browser ? { userId: passkey.user.id, browserHash: hashToken(input.browser) } : null;
  const attempt = { typedName: null, userId: passkey?.user.id ?? null, address: input.address, knownBrowser };
  const tried = { input, attempt, response };
  const { waitSeconds } = await findAttemptLimits(context, attempt);
  const result = waitSeconds > 0 ? throttled(waitSeconds) : await checkResponse(context, tried);
  if (result.kind === "throttled") {
    await recordEvent(context, { type: "sign-in.throttled", outcome: "refused", ...metadataOf(tried) });
  }
  return result;
}

function throttled(retryAfterSeconds: number): Throttled {
  return { kind: "throttled", retryAfterSeconds };
}

async function checkResponse(context: PasskeySignInDeps, tried: Tried): Promise<PasskeySignIn> {
  const { input, response } = tried;
  const isOwnChallenge = isPasskeyChallenge(context, response.challenge, input);
  const assertion = await response.verify();
  const { passkey } = response;
  if (!isOwnChallenge) return refuse(context, tried, "challenge");
  if (!passkey) return refuse(context, tried, "unknown");
  if (!assertion) return refuse(context, tried, "verification");
  if (passkey.user.status !== "active") return refuse(context, tried, "blocked");
  const result = await accept(context, tried, { assertion, user: passkey.user });
  return result.kind === "refused" ? refuse(context, tried, result.reason, assertion) : result;
}

/** The reason for which a verified response was not accepted. */
type Rejected = { kind: "refused"; reason: "challenge" | "counter" | "changed" };

/**
 * Accepts a verified response in one transaction: spends the challenge, and stores the use of the passkey. Throttled if a
 * limit is reached by now; that and every refusal roll back.
 */
async function accept(
  context: PasskeySignInDeps,
  tried: Tried,
  { assertion, user }: { assertion: VerifiedAssertion; user: { id: string; generation: number; username: string } },
): Promise<Exclude<PasskeySignIn, { kind: "refused" }> | Rejected> {
  const { input, attempt, response } = tried;
  const { acceptAssertion } = await assertions();
  const { id: userId, generation, username } = user;
  const amr = methodsOf(assertion);
  const demandsMfa = input.demandsMfa === true || !assertion.isUserVerified;
  const proven = { ...input, userId, generation, amr, demandsMfa };
  const provenAt = Math.floor(context.clock.now().getTime() / 1000);
  return context.store.tx<Exclude<PasskeySignIn, { kind: "refused" }> | Rejected>(async (store) => {
    const deps = { ...context, store };
    const { waitSeconds } = await findAttemptLimits(deps, attempt);
    if (waitSeconds > 0) return rollback(throttled(waitSeconds));
    if (!(await spendPasskeyChallenge(deps, response.challenge))) {
      return rollback({ kind: "refused", reason: "challenge" });
    }
    const result = await decideSignIn(deps, proven);
    if (result.kind === "refused") return rollback({ kind: "refused", reason: "changed" });
    // Before the passkey, because a change of the user locks the user before credentials, and another order could
    // deadlock.
    if (result.kind === "complete") await storeSignIn(store, userId, context.clock.now());
    const accepted = await acceptAssertion(deps, assertion);
    if (!accepted) return rollback({ kind: "refused", reason: "counter" });
    if (accepted === "backup changed") {
      const event = { type: "security-key.backup-changed", outcome: "ok", reason: "passkey" } as const;
      await recordEvent(deps, { ...event, ...metadataOf(tried) });
    }
    if (result.kind === "second-factor-required") {
      if (!hasFactor(await findFactors(store, userId))) {
        await recordRefusal(deps, tried, "no user verification");
        return { kind: "password-required", username };
      }
      await beginSecondFactor(deps, { ...input, ...result, provenAt });
    }
    await finishSignIn(deps, proven, result);
    return result.kind === "complete" ? { kind: "signed-in", subject: result.subject } : { kind: result.kind };
  });
}

/** Returns the `amr` (RFC 8176): a passkey that can leave its device is secured by software. */
function methodsOf({ backupEligible, isUserVerified }: VerifiedAssertion): string[] {
  return [backupEligible ? "swk" : "hwk", USER_PRESENCE, ...(isUserVerified ? ["mfa"] : [])];
}

/**
 * Counts and records a refused response in one transaction, and spends its challenge, so that every response consumes
 * it. Flags a passkey whose counter did not increase, perhaps because it was copied. Throttled, and rolled back, if a
 * limit is reached by now.
 */
async function refuse(
  context: PasskeySignInDeps,
  tried: Tried,
  reason: Refusal,
  assertion: VerifiedAssertion | null = null,
): Promise<{ kind: "refused" } | Throttled> {
  const { refuseAssertion } = await assertions();
  return context.store.tx<{ kind: "refused" } | Throttled>(async (store) => {
    const deps = { ...context, store };
    const retryAfterSeconds = await countAttempt(deps, tried.attempt);
    if (retryAfterSeconds > 0) return rollback(throttled(retryAfterSeconds));
    if (reason !== "challenge") await spendPasskeyChallenge(deps, tried.response.challenge);
    const isFlagged = reason === "counter" && assertion && (await refuseAssertion(deps, assertion)) === "counter";
    if (isFlagged) {
      const event = { type: "security-key.flagged", outcome: "refused", reason: "passkey" } as const;
      await recordEvent(deps, { ...event, ...metadataOf(tried) });
    }
    // The passkey was removed meanwhile.
    const isRemoved = reason === "counter" && !isFlagged;
    await recordRefusal(deps, tried, isRemoved ? "unknown" : reason);
    return { kind: "refused" };
  });
}

async function recordRefusal(
  deps: PasskeySignInDeps & { store: Store },
  tried: Tried,
  reason: Refusal | "no user verification",
): Promise<void> {
  const event = { type: "sign-in.refused", outcome: "refused", reason: `passkey: ${reason}` } as const;
  await recordEvent(deps, { ...event, ...metadataOf(tried) });
}

function metadataOf({ input, response }: Tried): Omit<AuditEvent, "type" | "outcome"> {
  const { address, userAgent, requestId, clientId } = input;
  const user = response.passkey?.user;
  return { address, userAgent, requestId, clientId, userId: user?.id ?? null, username: user?.username ?? null };
}
