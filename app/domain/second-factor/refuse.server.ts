import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { createLimiter, type Limit } from "#app/domain/throttle/limiter.server.ts";
import type { FactorDeps } from "./accept.server.ts";
import { type FactorEvent, recordFactor } from "./record.server.ts";

const MINUTE = 60;

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
export async function refuseFactor(context: FactorDeps, call: FactorEvent): Promise<void> {
  const { userId } = call.pending;
  await context.store.tx(async (store) => {
    const deps = { ...context, store };
    const isNoticeDue = (await tolerated.count(deps, userId)) > 0 && (await notices.count(deps, userId)) === 0;
    if (isNoticeDue) await notifyUser(deps, userId, { template: { name: "factor-refused" }, from: call.metadata });
    await recordFactor(deps, "factor.refused", call);
  });
}
