import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { createLimiter, type Limit } from "#app/domain/throttle/limiter.server.ts";
import type { FactorDeps } from "./accept.server.ts";
import { type FactorCall, recordFactor } from "./record.server.ts";

const MINUTE = 60;

/**
 * Limits for the mail about wrong factors after a correct first step: sent at the third wrong factor within 15 minutes,
 * at most once an hour. Keep in step with docs/security.md.
 */
export const REFUSAL_LIMITS = {
  unremarkable: { name: "second-factor/unremarkable", points: 2, windowSeconds: 15 * MINUTE },
  told: { name: "second-factor/told", points: 1, windowSeconds: 60 * MINUTE },
} as const satisfies Record<string, Limit>;

const unremarkable = createLimiter(REFUSAL_LIMITS.unremarkable);
const told = createLimiter(REFUSAL_LIMITS.told);

/** Records a wrong factor of a pending sign-in, and notifies the user by mail after several. */
export async function refuseFactor(context: FactorDeps, call: FactorCall): Promise<void> {
  const { userId } = call.pending;
  await context.store.tx(async (store) => {
    const parts = { ...context, store };
    const isRemarkable = (await unremarkable.count(parts, userId)) > 0 && (await told.count(parts, userId)) === 0;
    if (isRemarkable) await notifyUser(parts, userId, { template: { name: "factor-refused" }, from: call.facts });
    await recordFactor(parts, "factor.refused", call);
  });
}
