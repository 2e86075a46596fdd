import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError, hasCode } from "#app/domain/errors.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import {
  type Count,
  countTogether,
  createLimiter,
  type Limit,
  type LimiterDeps,
  refundTogether,
} from "#app/domain/throttle/limiter.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { PendingSignIn } from "./pending.server.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Maximum failed second-factor attempts per user, over all tokens, paths and factors. Keep in step with
 * docs/security.md. With 15 codes per hour, of which at most 3 of a million are valid at a time, an attacker succeeds
 * with a probability below 1 in 10,000 per hour.
 */
export const FACTOR_LIMITS = {
  day: { name: "second-factor/day", points: 50, windowSeconds: 24 * HOUR },
  hour: { name: "second-factor/hour", points: 15, windowSeconds: HOUR },
  minutes: { name: "second-factor/minutes", points: 5, windowSeconds: 5 * MINUTE },
} as const satisfies Record<string, Limit>;

/** Longest window first, so that the longest wait is returned. The order is fixed to avoid deadlocks. */
const limiters = [FACTOR_LIMITS.day, FACTOR_LIMITS.hour, FACTOR_LIMITS.minutes].map((limit) => createLimiter(limit));

/**
 * Counts an attempt before its factor is checked, so that simultaneous attempts cannot exceed the limit. Returns 0, or
 * the seconds to wait; a throttled attempt is not counted. Do not call it in a transaction that may roll back, because
 * the attempt must stay counted.
 */
export async function admitFactorAttempt(deps: LimiterDeps, userId: string): Promise<number> {
  return countUnless(deps, userId, (wait) => wait === 0);
}

/** Returns the seconds that an attempt would have to wait now, or 0. Does not count. */
export async function findFactorWait(deps: LimiterDeps, userId: string): Promise<number> {
  return countUnless(deps, userId, () => false);
}

/**
 * Refunds the attempt that `admitFactorAttempt` counted for a correct factor. Earlier failures stay counted, so that
 * the user's success gives an attacker no new attempts.
 */
export async function refundFactorAttempt(deps: LimiterDeps, userId: string): Promise<void> {
  await refundTogether(deps, countsOf(userId));
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
} as const;

/** A call about a factor of a pending sign-in. */
export type FactorEvent = { pending: PendingSignIn; name: FactorName; metadata: RequestMetadata };

/** Records a factor event of a pending sign-in, without the code. In a transaction, call it last. */
export async function recordFactor(
  context: AuditDeps,
  type: keyof typeof OUTCOMES,
  { pending, name, metadata }: FactorEvent,
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
export const REFUSAL_LIMITS = {
  tolerated: { name: "second-factor/unremarkable", points: 2, windowSeconds: 15 * MINUTE },
  notices: { name: "second-factor/told", points: 1, windowSeconds: 60 * MINUTE },
} as const satisfies Record<string, Limit>;

const tolerated = createLimiter(REFUSAL_LIMITS.tolerated);
const notices = createLimiter(REFUSAL_LIMITS.notices);

/** Records a wrong factor of a pending sign-in, and notifies the user by mail after several. */
export async function refuseFactor(context: AuditDeps & MailDeps, call: FactorEvent): Promise<void> {
  const { userId } = call.pending;
  await context.store.tx(async (store) => {
    const deps = { ...context, store };
    const isNoticeDue = (await tolerated.count(deps, userId)) > 0 && (await notices.count(deps, userId)) === 0;
    if (isNoticeDue) await notifyUser(deps, userId, { template: { name: "factor-refused" }, from: call.metadata });
    await recordFactor(deps, "factor.refused", call);
  });
}

async function countUnless(
  { store, clock }: LimiterDeps,
  userId: string,
  isKept: (waitSeconds: number) => boolean,
): Promise<number> {
  let waitSeconds = 0;
  try {
    await store.tx(async (tx) => {
      waitSeconds = await countTogether({ store: tx, clock }, countsOf(userId));
      // Rolls back, so that throttled attempts cause no disk writes.
      if (!isKept(waitSeconds)) throw new DomainError("throttled");
    });
  } catch (error) {
    if (!hasCode(error, "throttled")) throw error;
  }
  return waitSeconds;
}

function countsOf(userId: string): Count[] {
  return limiters.map((limiter) => ({ limiter, key: userId }));
}
