import { z } from "zod";
import {
  findOneTimeToken,
  findOneTimeTokenOfSlot,
  issueOneTimeToken,
  renewOneTimeToken,
  renewOneTimeTokenOfSlot,
} from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { OneTimeToken } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { isFresh } from "#app/domain/access/access.ts";
import { isSessionAlive } from "#app/domain/engine-session/engine-session.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { MINUTE_SECONDS } from "#app/durations.ts";
import type { Clock, Random, TokenHash } from "#app/ports.ts";

/** Lifetime of a pending sign-in. Renewing the mfa_token does not extend it. */
export const PENDING_SECONDS = 10 * MINUTE_SECONDS;

const payloadSchema = z.object({
  amr: z.array(z.string()),
  verified: z.array(z.string()),
  provenAt: z.number().nullable().default(null),
  sessionUid: z.string().nullable().default(null),
  sessionSince: z.number().nullable().default(null),
  setUp: z.boolean(),
  byRecoveryCode: z.boolean().default(false),
  typedUsername: z.string().nullable().default(null),
});

/**
 * A sign-in that waits for its second factor: a row of one_time_tokens whose token is the mfa_token. `amr`: methods
 * before this step; `verified`: factors given in this step; `setUp`: a factor was set up in this step;
 * `byRecoveryCode`: a recovery code was given. `provenAt`: last proof of identity before this step, null if a provider
 * did not report it. `sessionUid`: uid of the live session if only its second step is required, else null; the step ends
 * with that session. `sessionSince`: start of that session, else null. Times are in seconds since 1970. `typedUsername`:
 * the user name or e-mail address that was typed with the password, else null.
 */
export type PendingSignIn = z.infer<typeof payloadSchema> & {
  uid: string;
  userId: string;
  generation: number;
  tokenHash: TokenHash;
  clientId: string | null;
};

/** Dependencies of pending sign-ins. In a transaction, pass the transaction's store. */
export type PendingDeps = { store: Store; clock: Clock; random: Random };

/** `uid` is the uid of the engine's interaction, `browser` the value of the browser cookie. */
export type PendingStart = Pick<PendingSignIn, "uid" | "userId" | "generation" | "provenAt" | "clientId"> &
  Partial<Pick<PendingSignIn, "sessionUid" | "sessionSince" | "typedUsername">> & {
    browser: string;
    amr: readonly string[];
  };

const NOTHING_GIVEN = { verified: [], setUp: false, byRecoveryCode: false };

/**
 * Starts the second step of a sign-in. Replaces an earlier pending sign-in of the same interaction. Its token is
 * discarded: `openSecondFactor` issues the one for the page.
 */
export async function beginSecondFactor({ store, clock, random }: PendingDeps, start: PendingStart): Promise<void> {
  const { uid, browser, userId, generation, clientId, amr, provenAt } = start;
  const { sessionUid = null, sessionSince = null, typedUsername = null } = start;
  const createdAt = clock.now();
  await issueOneTimeToken(store, {
    kind: "mfa",
    slot: uid,
    tokenHash: hashToken(random.token()),
    userId,
    generation,
    browserHash: hashToken(browser),
    clientId,
    payload: { ...NOTHING_GIVEN, amr: [...amr], provenAt, sessionUid, sessionSince, typedUsername },
    createdAt,
    expiresAt: new Date(createdAt.getTime() + PENDING_SECONDS * 1000),
  });
}

/**
 * Returns the pending sign-in of an interaction with a new mfa_token, and invalidates the previous token. Returns null
 * if this browser has no pending sign-in, it is expired, its session has ended, or the user is blocked or changed.
 */
export async function openSecondFactor(
  { store, clock, random }: PendingDeps,
  { uid, browser }: { uid: string; browser: string },
): Promise<{ pending: PendingSignIn; mfaToken: string } | null> {
  const mfaToken = random.token();
  const token = await renewOneTimeTokenOfSlot(store, {
    kind: "mfa",
    slot: uid,
    browserHash: hashToken(browser),
    to: hashToken(mfaToken),
    now: clock.now(),
  });
  const pending = await pendingOf({ store, clock }, token);
  return pending && { pending, mfaToken };
}

/**
 * Finds the pending sign-in for an mfa_token. Returns null if the token is unknown, used, replaced, expired, or of
 * another kind or browser, if its session has ended, and if the user is blocked or changed.
 */
export async function findPending(
  { store, clock }: Pick<PendingDeps, "store" | "clock">,
  { mfaToken, browser }: { mfaToken: string; browser: string },
): Promise<PendingSignIn | null> {
  const token = await findOneTimeToken(store, { kind: "mfa", tokenHash: hashToken(mfaToken), now: clock.now() });
  if (token?.browserHash !== hashToken(browser)) return null;
  return pendingOf({ store, clock }, token);
}

/**
 * Returns false if the step belongs to a session that has ended: then its factor and its result are refused. Call it in
 * the transaction that accepts a factor, too.
 */
export async function isStepAlive(
  deps: Pick<PendingDeps, "store" | "clock">,
  pending: PendingSignIn,
): Promise<boolean> {
  const { sessionUid, sessionSince } = pending;
  return sessionSince === null || (sessionUid !== null && isSessionAlive(deps, sessionUid, pending));
}

/**
 * Returns true if the proof of identity before this step is recent enough to set up a first factor. Otherwise an
 * attacker could add a factor to an unattended session.
 */
export function maySetUp({ provenAt }: Pick<PendingSignIn, "provenAt">, now: Date): boolean {
  return isFresh({ authTime: provenAt === null ? null : new Date(provenAt * 1000) }, now);
}

/** Finds the pending sign-in of an interaction without rotating its token. Returns null as `openSecondFactor` does. */
export async function findPendingOfRequest(
  { store, clock }: Pick<PendingDeps, "store" | "clock">,
  { uid, browser }: { uid: string; browser: string },
): Promise<PendingSignIn | null> {
  const token = await findOneTimeTokenOfSlot(store, { kind: "mfa", slot: uid, now: clock.now() });
  return token?.browserHash === hashToken(browser) ? pendingOf({ store, clock }, token) : null;
}

/** The given factor (`otp`, `hwk`) and, if it was set up in this step, the user's new generation. */
export type PendingProgress = { verified: string; byRecoveryCode?: boolean; setUpAt?: { generation: number } };

/**
 * Adds the given factor and rotates the mfa_token, in one conditional statement. Returns null if another call was
 * faster or the pending sign-in is expired; the caller then rolls back.
 */
export async function advancePending(
  { store, clock, random }: PendingDeps,
  pending: PendingSignIn,
  { verified, byRecoveryCode = false, setUpAt }: PendingProgress,
): Promise<string | null> {
  const { amr, provenAt, sessionUid, sessionSince, typedUsername } = pending;
  const mfaToken = random.token();
  const payload = {
    ...{ amr, provenAt, sessionUid, sessionSince, typedUsername },
    verified: [...new Set([...pending.verified, verified])],
    setUp: pending.setUp || setUpAt !== undefined,
    byRecoveryCode: pending.byRecoveryCode || byRecoveryCode,
  };
  const from = pending.tokenHash;
  const renewal = { kind: "mfa", from, to: hashToken(mfaToken), payload, ...setUpAt, now: clock.now() } as const;
  return (await renewOneTimeToken(store, renewal)) && mfaToken;
}

/** Parses a row. Returns null if its user is blocked or changed, or if its session has ended. */
async function pendingOf(
  deps: Pick<PendingDeps, "store" | "clock">,
  token: OneTimeToken | null,
): Promise<PendingSignIn | null> {
  if (token === null || token.slot === null || token.userId === null) return null;
  const user = await findUser(deps.store, token.userId);
  if (user?.status !== "active" || user.generation !== token.generation) return null;
  const { slot: uid, tokenHash, clientId } = token;
  const step = { uid, userId: user.id, generation: user.generation, tokenHash, clientId };
  const pending = { ...payloadSchema.parse(token.payload), ...step };
  return (await isStepAlive(deps, pending)) ? pending : null;
}
