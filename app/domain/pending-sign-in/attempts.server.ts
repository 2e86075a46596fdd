import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import {
  type Count,
  countTogether,
  createLimiter,
  findWait,
  type Limit,
  type LimiterDeps,
} from "#app/domain/throttle/limiter.server.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { PendingSignIn } from "./pending.server.ts";

/**
 * Maximum failed second-factor attempts per user, over all tokens, paths and factors. Keep in step with
 * docs/security.md. With 15 codes per hour, of which at most 3 of a million are valid at a time, an attacker succeeds
 * with a probability below 1 in 10,000 per hour.
 */
export const FACTOR_LIMITS = {
  day: { name: "second-factor/day", points: 50, windowSeconds: DAY_SECONDS },
  hour: { name: "second-factor/hour", points: 15, windowSeconds: HOUR_SECONDS },
  minutes: { name: "second-factor/minutes", points: 10, windowSeconds: 5 * MINUTE_SECONDS },
} as const satisfies Record<string, Limit>;

/** Longest window first, so that the longest wait is returned. The order is fixed to avoid deadlocks. */
const limiters = [FACTOR_LIMITS.day, FACTOR_LIMITS.hour, FACTOR_LIMITS.minutes].map((limit) => createLimiter(limit));

/** Too many failed attempts. `retryAfterSeconds`: time until the next attempt is allowed. */
export type Throttled = { kind: "throttled"; retryAfterSeconds: number };

/**
 * Returns the wait of a throttled user, or null. Does not write. Call it before the factor is checked, and, if the
 * factor is right, again in the transaction that accepts it: simultaneous attempts may have reached the limit in
 * between, and none beyond it may learn that its factor is right. Earlier failures stay counted, so that the user's
 * success gives an attacker no new attempts.
 */
export async function findThrottle(deps: LimiterDeps, userId: string): Promise<Throttled | null> {
  const retryAfterSeconds = await findWait(deps, countsOf(userId));
  return retryAfterSeconds > 0 ? { kind: "throttled", retryAfterSeconds } : null;
}

/**
 * Counts an attempt with a wrong factor and runs `record`, which records the refusal, in one transaction: an attempt is
 * counted exactly if it is answered, even if the process ends at any moment. Throttled, and rolled back, if
 * simultaneous attempts have reached the limit.
 */
export async function refuseAttempt<Refusal extends { kind: string }>(
  { store, clock }: LimiterDeps,
  userId: string,
  record: (tx: Store) => Promise<Refusal>,
): Promise<Refusal | Throttled> {
  return store.tx<Refusal | Throttled>(async (tx) => {
    const retryAfterSeconds = await countTogether({ store: tx, clock }, countsOf(userId));
    return retryAfterSeconds > 0 ? rollback({ kind: "throttled", retryAfterSeconds }) : record(tx);
  });
}

/** Removes all counted attempts of a user, on behalf of an administrator. */
export async function clearFactorAttempts(deps: LimiterDeps, userId: string): Promise<void> {
  for (const limiter of limiters) await limiter.clear(deps, userId);
}

/** Input of the second-factor calls: the mfa_token, and the request metadata. */
export type FactorInput = RequestMetadata & { mfaToken: string };

/** Factor names in the audit trail. */
export type FactorName = "totp" | "security key" | "recovery code";

const OUTCOMES = {
  "factor.added": "ok",
  "factor.accepted": "ok",
  "factor.refused": "refused",
  "factor.throttled": "refused",
  "recovery-code.used": "ok",
  "security-key.flagged": "refused",
  "security-key.backup-changed": "ok",
} as const;

/** A call about a factor of a pending sign-in. */
export type FactorEvent = { pending: PendingSignIn; name: FactorName; metadata: RequestMetadata };

/** A factor event, of a pending sign-in or of help for a user who cannot sign in. */
type RecordedFactor = Omit<FactorEvent, "pending"> & { pending: Pick<PendingSignIn, "userId" | "clientId"> };

/** Records a factor event, without the code. */
export async function recordFactor(
  context: AuditDeps,
  type: keyof typeof OUTCOMES,
  { pending, name, metadata }: RecordedFactor,
): Promise<void> {
  const { userId, clientId } = pending;
  const { address, userAgent, requestId } = metadata;
  const outcome = OUTCOMES[type];
  await recordEvent(context, { type, outcome, reason: name, userId, clientId, address, userAgent, requestId });
}

/**
 * Limits for the mail about wrong factors after a correct first step: sent at the third wrong factor within 15 minutes,
 * at most once an hour. Keep in step with docs/security.md.
 */
const REFUSAL_LIMITS = {
  tolerated: { name: "second-factor/tolerated", points: 2, windowSeconds: 15 * MINUTE_SECONDS },
  notices: { name: "second-factor/notices", points: 1, windowSeconds: HOUR_SECONDS },
} as const satisfies Record<string, Limit>;

const tolerated = createLimiter(REFUSAL_LIMITS.tolerated);
const notices = createLimiter(REFUSAL_LIMITS.notices);

/** Runs `check` unless the user of a pending sign-in is throttled, and records a throttled attempt. */
export async function limitFactor<Result extends { kind: string }>(
  context: AuditDeps,
  call: FactorEvent,
  check: () => Promise<Result | Throttled>,
): Promise<Result | Throttled> {
  const result = (await findThrottle(context, call.pending.userId)) ?? (await check());
  if (result.kind === "throttled") await recordFactor(context, "factor.throttled", call);
  return result;
}

/**
 * Records a wrong factor of a pending sign-in, and notifies the user by mail after several. Call it in the transaction
 * that counts the attempt.
 */
export async function recordWrongFactor(context: AuditDeps & MailDeps, call: RecordedFactor): Promise<void> {
  const { userId } = call.pending;
  const isNoticeDue = (await tolerated.count(context, userId)) > 0 && (await notices.count(context, userId)) === 0;
  if (isNoticeDue) await notifyUser(context, userId, { template: { name: "factor-refused" }, from: call.metadata });
  await recordFactor(context, "factor.refused", call);
}

function countsOf(userId: string): Count[] {
  return limiters.map((limiter) => ({ limiter, key: userId }));
}
