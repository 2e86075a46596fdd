import type { Provider } from "#app/config/providers.ts";
import { findAccountsOfIdentity, recordExternalSignIn } from "#app/db/repositories/external-accounts.server.ts";
import { consumeOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import { generateAttemptSecrets, storeAttempt } from "#app/domain/external-account/attempt.server.ts";
import {
  CLOCK_LEEWAY_SECONDS,
  type ExternalClaims,
  type ExternalIdentity,
} from "#app/domain/external-account/identity.ts";
import { type ExternalOutcome, storeOutcome } from "#app/domain/external-account/outcome.server.ts";
import type { Upstream, UpstreamPrompt } from "#app/domain/external-account/upstream.ts";
import { findUserAndFactors, hasFactor } from "#app/domain/factor/factors.server.ts";
import { beginSecondFactor, type PendingDeps } from "#app/domain/pending-sign-in/pending.server.ts";
import type { SignInMetadata, TokenHash } from "#app/ports.ts";
import { type DeviceTokens, decideSignIn, type FinishDeps, finishSignIn } from "./finish.server.ts";

/** Result of `signInWithIdentity`. */
type IdentifiedSignIn =
  | Exclude<ExternalSignIn, { kind: "not recent" }>
  /** The user is not signed in yet; the outcome is stored for the page that shows it. */
  | { kind: "shown" };

/**
 * Signs in the user of an external identity. Accounts are found by (provider, issuer, subject) only. With no or
 * several accounts, the outcome is stored for the page.
 */
export async function signInWithIdentity(
  context: ExternalSignInDeps,
  input: ExternalSignInInput & { identity: ExternalIdentity; claims: ExternalClaims; proof: ExternalProof },
): Promise<IdentifiedSignIn> {
  const { identity, claims, proof, uid, browser } = input;
  const { provider } = identity;
  const accounts = await findAccountsOfIdentity(context.store, identity);
  const [account] = accounts;
  if (!account) {
    await storeOutcome(context, { uid, browser }, { kind: "unknown", provider, identity, claims });
    await recordRefusal(context, input, `${provider}: no account`);
    return { kind: "shown" };
  }
  if (accounts.length > 1) {
    const userIds = accounts.map(({ userId }) => userId);
    await storeOutcome(context, { uid, browser }, { kind: "choose", provider, identity, userIds, proof });
    return { kind: "shown" };
  }
  const result = await signInToAccount(context, { ...input, userId: account.userId });
  if (result.kind === "not recent") {
    await storeNotRecent(context, input, { provider, ...result });
    return { kind: "shown" };
  }
  if (result.kind !== "refused") return result;
  await storeOutcome(context, { uid, browser }, { kind: "refused", provider });
  return { kind: "shown" };
}

/** Stores and records the outcome "not recent": the sign-in at the provider is too old. */
export async function storeNotRecent(
  context: ExternalSignInDeps,
  input: ExternalSignInInput,
  outcome: Extract<ExternalOutcome, { kind: "not recent" }>,
): Promise<void> {
  const { uid, browser } = input;
  await storeOutcome(context, { uid, browser }, outcome);
  await recordRefusal(context, input, `${outcome.provider}: not recent`);
}

/** Stores and records that the external sign-in failed or was cancelled. `reason`: a constant for the log. */
export async function storeExternalFailure(
  context: ExternalSignInDeps,
  input: ExternalSignInInput & { provider: ExternalIdentity["provider"]; kind: "failed" | "cancelled"; reason: string },
): Promise<void> {
  const { uid, browser, kind, provider, reason } = input;
  await storeOutcome(context, { uid, browser }, { kind, provider });
  await recordRefusal(context, input, `${provider}: ${reason}`);
}

async function recordRefusal(context: ExternalSignInDeps, input: ExternalSignInInput, reason: string): Promise<void> {
  const { address, userAgent, requestId, clientId } = input;
  const metadata = { address, userAgent, requestId, clientId };
  await recordEvent(context, { type: "provider.refused", outcome: "refused", reason, ...metadata });
}

/** Dependencies of an external sign-in. */
export type ExternalSignInDeps = FinishDeps & PendingDeps;

/** `uid`: the engine's interaction; `demandsMfa`: the client requested two factors. */
export type ExternalSignInInput = SignInMetadata & DeviceTokens & { uid: string; demandsMfa?: boolean };

/** Result of signing in to the account of an external identity. */
export type ExternalSignIn =
  /** The pending sign-in is stored (domain/second-factor). */
  | { kind: "second-factor-required" }
  /** `authTime`: time of authentication at the provider, in seconds since the epoch; null if not given. */
  | { kind: "signed-in"; subject: Subject; authTime: number | null }
  /** The sign-in at the provider is too old, or the provider gave no `auth_time`. Nothing was changed. */
  | { kind: "not recent"; username: string; hasPassword: boolean }
  /** The user is blocked, or the account is no longer connected. */
  | { kind: "refused" };

/**
 * Time of authentication at a provider, in seconds since the epoch. `authTime`: `auth_time` of the ID token, null if
 * absent; `provenSince`: the earliest acceptable time, null for any.
 */
type ExternalProof = { authTime: number | null; provenSince: number | null };

/**
 * Signs in the user whom an external identity is connected to, with amr `fed`, if the sign-in policy allows it. One
 * transaction, so that an account disconnected at the same moment is not opened. If the sign-in at the provider must be
 * recent and is not, a second factor of the user proves as much; a user without one is not signed in. Consumes the token
 * of the account selection, if one led here.
 */
export async function signInToAccount(
  context: ExternalSignInDeps,
  input: ExternalSignInInput & {
    userId: string;
    identity: ExternalIdentity;
    proof: ExternalProof;
    selection?: TokenHash;
  },
): Promise<ExternalSignIn> {
  const { identity, userId, proof, selection } = input;
  const found = isRecent(proof) ? null : await findUserAndFactors(context.store, userId);
  if (found?.user.status === "active" && !hasFactor(found.factors)) {
    const { username, passwordHash } = found.user;
    return { kind: "not recent", username, hasPassword: passwordHash !== null };
  }
  // A remembered device is no proof of identity.
  const signIn = { ...input, deviceTokenOf: isRecent(proof) ? input.deviceTokenOf : undefined, amr: ["fed"] };
  return context.store.tx<ExternalSignIn>(async (store) => {
    const deps = { ...context, store };
    const now = context.clock.now();
    const result = await decideSignIn(deps, signIn);
    if (result.kind !== "refused") {
      const token = selection && { kind: "account-selection" as const, tokenHash: selection, now };
      if (token && !(await consumeOneTimeToken(store, token))) return rollback({ kind: "refused" });
      // The second factor was removed after it was read above.
      if (result.kind === "complete" && !isRecent(proof)) return rollback({ kind: "refused" });
      const isConnected = await recordExternalSignIn(store, identity, { userId, name: identity.name, now });
      if (!isConnected) return rollback({ kind: "refused" });
    }
    if (result.kind === "second-factor-required") {
      await beginSecondFactor(deps, { ...input, ...result, provenAt: proof.authTime });
    }
    await finishSignIn(deps, signIn, result);
    if (result.kind !== "complete") return { kind: result.kind };
    return { kind: "signed-in", subject: result.subject, authTime: proof.authTime };
  });
}

function isRecent({ authTime, provenSince }: ExternalProof): boolean {
  return provenSince === null || (authTime !== null && authTime + CLOCK_LEEWAY_SECONDS >= provenSince);
}

/** Dependencies of starting an external sign-in. */
type BeginDeps = ExternalSignInDeps & { upstream: Upstream };

/**
 * `challenge`: the `login_challenge` of the sign-in form; `requestedPrompt`: the prompt to request, null for none;
 * `maxAgeSeconds`: maximum age of the sign-in at the provider, null for any.
 */
type BeginInput = ExternalSignInInput & {
  provider: Provider;
  challenge: string;
  requestedPrompt: UpstreamPrompt | null;
  maxAgeSeconds: number | null;
};

/** `shown`: the provider is unreachable or not the configured one; the outcome is stored for the sign-in page. */
type BeginResult = { kind: "away"; url: string } | { kind: "shown" };

/** Starts a sign-in at a provider: stores the attempt and returns the authorization URL. */
export async function beginExternalSignIn(context: BeginDeps, input: BeginInput): Promise<BeginResult> {
  const { provider, challenge, browser, requestedPrompt, maxAgeSeconds } = input;
  const secrets = generateAttemptSecrets(context);
  const result = await context.upstream.begin(provider, { ...secrets, requestedPrompt, maxAgeSeconds });
  if (result.kind === "away") {
    const now = Math.floor(context.clock.now().getTime() / 1000);
    const provenSince = maxAgeSeconds === null ? null : now - maxAgeSeconds;
    const purpose = { kind: "sign-in", challenge, provenSince } as const;
    await storeAttempt(context, secrets, { provider, browser, userId: null, purpose });
    return result;
  }
  await storeExternalFailure(context, { ...input, kind: "failed", reason: result.reason });
  return { kind: "shown" };
}
