import {
  consumeOneTimeToken,
  findOneTimeToken,
  findOneTimeTokenOfSlot,
  issueOneTimeToken,
  removeOneTimeTokensOfUser,
} from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { SignInMetadata, TokenHash } from "#app/ports.ts";
import { type LinkDeps, type LinkWindow, worksFromOf } from "./link.server.ts";

/**
 * Issues a link that stops a waiting reset, and returns its URL. The links of earlier mails stay valid, so that the
 * link of each mail stops the current reset.
 */
export async function issueStopLink(
  { store, clock, random, config }: LinkDeps,
  { id: userId, generation }: User,
  expiresAt: Date,
): Promise<string> {
  const token = random.token();
  const metadata = { userId, generation, payload: {}, createdAt: clock.now(), expiresAt };
  await issueOneTimeToken(store, { kind: "mfa-reset-stop", slot: null, tokenHash: hashToken(token), ...metadata });
  const url = new URL("/mfa-reset/stop", config.issuer);
  url.searchParams.set("stop_token", token);
  return url.href;
}

/** A waiting reset and its stop link. */
type WaitingReset = { user: User; stopHash: TokenHash; resetHash: TokenHash; window: LinkWindow };

/** Returns the waiting reset of a stop link's user, or null if none is waiting or the link is invalid. */
export async function findWaitingReset(
  { store, clock }: Pick<LinkDeps, "store" | "clock">,
  stopToken: string,
): Promise<WaitingReset | null> {
  const stopHash = hashToken(stopToken);
  const now = clock.now();
  const stop = await findOneTimeToken(store, { kind: "mfa-reset-stop", tokenHash: stopHash, now });
  const user = stop?.userId ? await findUser(store, stop.userId) : null;
  const waiting = user && (await findOneTimeTokenOfSlot(store, { kind: "mfa-reset", slot: user.id, now }));
  // An administrator's link has no delay and cannot be stopped.
  const from = waiting && worksFromOf(waiting);
  if (!waiting || waiting.generation !== user.generation || !from) return null;
  return { user, stopHash, resetHash: waiting.tokenHash, window: { from, until: waiting.expiresAt } };
}

/** Result of `stopFactorReset`. "error-token": the link is invalid, or no reset is waiting. */
type StopOutcome = { kind: "stopped" } | { kind: "error-token" };

/** Stops a waiting reset: invalidates its link and keeps the user's factors. */
export async function stopFactorReset(
  context: AuditDeps,
  input: { stopToken: string } & Pick<SignInMetadata, "address" | "userAgent" | "requestId">,
): Promise<StopOutcome> {
  const waiting = await findWaitingReset(context, input.stopToken);
  if (!waiting) return { kind: "error-token" };
  const { user, resetHash } = waiting;
  return context.store.tx(async (tx) => {
    const resetToken = { kind: "mfa-reset", tokenHash: resetHash, now: context.clock.now() } as const;
    if (!(await consumeOneTimeToken(tx, resetToken))) return { kind: "error-token" };
    await removeOneTimeTokensOfUser(tx, user.id, ["mfa-reset-stop"]);
    const { address, userAgent, requestId } = input;
    const metadata = { userId: user.id, address, userAgent, requestId };
    await recordEvent({ ...context, store: tx }, { type: "factor-reset.stopped", outcome: "ok", ...metadata });
    return { kind: "stopped" };
  });
}
