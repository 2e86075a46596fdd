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
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { isFresh } from "#app/domain/settings/access.ts";
import type { Clock, Random, TokenHash } from "#app/ports.ts";

/** From the password to the end of the sign-in; renewing the token does not prolong it. */
export const PENDING_SECONDS = 10 * 60;

const payloadSchema = z.object({
  amr: z.array(z.string()),
  verified: z.array(z.string()),
  provenAt: z.number().nullable().default(null),
  sessionSince: z.number().nullable().default(null),
  setUp: z.boolean(),
});

/**
 * A sign-in that waits for its second factor: one row of one_time_tokens, whose token is the mfa_token.
 * `amr`: the methods before this step; `verified`: the factors given in it; `setUp`: a factor was set up in this step.
 * `provenAt`: when the user last proved who they are before this step, null where a provider did not say; `sessionSince`:
 * when the live session began if only its second step is asked, else null; both in seconds since 1970.
 */
export type PendingSignIn = z.infer<typeof payloadSchema> & {
  uid: string;
  userId: string;
  generation: number;
  tokenHash: TokenHash;
  clientId: string | null;
};

/** What the pending sign-in touches. Inside a transaction hand in the transaction's store. */
export type PendingDeps = { store: Store; clock: Clock; random: Random };

/** `uid`: of the engine's interaction; `browser`: the value of the browser cookie. */
export type PendingStart = Pick<PendingSignIn, "uid" | "userId" | "generation" | "provenAt" | "clientId"> & {
  sessionSince?: number | null;
  browser: string;
  amr: readonly string[];
};

/**
 * Begins the second step of a sign-in whose first one succeeded. An earlier pending sign-in of the same request gives
 * way to it. Nobody knows the token yet: the page that asks for the factor gets one.
 */
export async function beginSecondFactor({ store, clock, random }: PendingDeps, start: PendingStart): Promise<void> {
  const { uid, browser, userId, generation, clientId, amr, provenAt, sessionSince = null } = start;
  const createdAt = clock.now();
  await issueOneTimeToken(store, {
    kind: "mfa",
    slot: uid,
    tokenHash: hashToken(random.token()),
    userId,
    generation,
    browserHash: hashToken(browser),
    clientId,
    payload: { amr: [...amr], verified: [], provenAt, sessionSince, setUp: false },
    createdAt,
    expiresAt: new Date(createdAt.getTime() + PENDING_SECONDS * 1000),
  });
}

/**
 * The pending sign-in of a request, with a fresh mfa_token; the older one dies. Null when this browser has none, its
 * time is over, or the person was blocked or changed since (see `findPending`).
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
  const pending = await pendingOf(store, token);
  return pending && { pending, mfaToken };
}

/**
 * The pending sign-in that this mfa_token stands for. Null for anything else: another kind of token, another browser's,
 * a replaced or used one, one whose time is over, or of a person who is blocked or whose generation moved on.
 */
export async function findPending(
  { store, clock }: Pick<PendingDeps, "store" | "clock">,
  { mfaToken, browser }: { mfaToken: string; browser: string },
): Promise<PendingSignIn | null> {
  const token = await findOneTimeToken(store, { kind: "mfa", tokenHash: hashToken(mfaToken), now: clock.now() });
  if (token?.browserHash !== hashToken(browser)) return null;
  return pendingOf(store, token);
}

/**
 * Whether the proof of identity before this step is recent enough to set up a first factor, which would otherwise turn an
 * unattended session into one with two factors.
 */
export function maySetUp({ provenAt }: Pick<PendingSignIn, "provenAt">, now: Date): boolean {
  return isFresh({ authTime: provenAt === null ? null : new Date(provenAt * 1000) }, now);
}

/**
 * The pending sign-in of a request, whatever its token is; nothing is used up. Null as for `openSecondFactor`.
 */
export async function findPendingOfRequest(
  { store, clock }: Pick<PendingDeps, "store" | "clock">,
  { uid, browser }: { uid: string; browser: string },
): Promise<PendingSignIn | null> {
  const token = await findOneTimeTokenOfSlot(store, { kind: "mfa", slot: uid, now: clock.now() });
  return token?.browserHash === hashToken(browser) ? pendingOf(store, token) : null;
}

/** What a step adds to a pending sign-in: the factor given (`otp`, `hwk`), and, where one was set up, the new generation. */
export type PendingProgress = { verified: string; setUpAt?: { generation: number } };

/**
 * Notes the factor that was given and puts a new mfa_token in the place of the old one. Of many at once one wins; null
 * for the others, and when the time is over: then undo what the transaction did.
 */
export async function advancePending(
  { store, clock, random }: PendingDeps,
  pending: PendingSignIn,
  { verified, setUpAt }: PendingProgress,
): Promise<string | null> {
  const { amr, provenAt, sessionSince } = pending;
  const mfaToken = random.token();
  const payload = {
    amr,
    provenAt,
    sessionSince,
    verified: [...new Set([...pending.verified, verified])],
    setUp: pending.setUp || setUpAt !== undefined,
  };
  const from = pending.tokenHash;
  const renewal = { kind: "mfa", from, to: hashToken(mfaToken), payload, ...setUpAt, now: clock.now() } as const;
  return (await renewOneTimeToken(store, renewal)) && mfaToken;
}

/** The pending sign-in that a row describes, while its person is active and unchanged. */
async function pendingOf(store: Store, token: OneTimeToken | null): Promise<PendingSignIn | null> {
  if (token === null || token.slot === null || token.userId === null) return null;
  const user = await findUser(store, token.userId);
  if (user?.status !== "active" || user.generation !== token.generation) return null;
  const { slot: uid, tokenHash, clientId } = token;
  return {
    ...payloadSchema.parse(token.payload),
    uid,
    userId: user.id,
    generation: user.generation,
    tokenHash,
    clientId,
  };
}
