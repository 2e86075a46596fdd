import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { createLimiter, type Limit } from "#app/domain/throttle/limiter.server.ts";
import type { FactorDeps } from "./accept.server.ts";
import { type FactorCall, recordFactor } from "./record.server.ts";

const MINUTE = 60;

/**
 * When a person hears by mail that the first step of a sign-in was passed and the second one was not (the same numbers
 * stand in docs/security.md): at the third wrong factor of a quarter of an hour, and once an hour.
 */
export const REFUSAL_LIMITS = {
  unremarkable: { name: "second-factor/unremarkable", points: 2, windowSeconds: 15 * MINUTE },
  told: { name: "second-factor/told", points: 1, windowSeconds: 60 * MINUTE },
} as const satisfies Record<string, Limit>;

const unremarkable = createLimiter(REFUSAL_LIMITS.unremarkable);
const told = createLimiter(REFUSAL_LIMITS.told);

/** Records a wrong factor of a pending sign-in, and tells its person when there were several. */
export async function refuseFactor(context: FactorDeps, call: FactorCall): Promise<void> {
  const { userId } = call.pending;
  await context.store.tx(async (store) => {
    const parts = { ...context, store };
    const isRemarkable = (await unremarkable.count(parts, userId)) > 0 && (await told.count(parts, userId)) === 0;
    if (isRemarkable) await notifyUser(parts, userId, { template: { name: "factor-refused" }, from: call.facts });
    await recordFactor(parts, "factor.refused", call);
  });
}
