import { removeExpiredRateLimits } from "#app/db/repositories/rate-limits.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import type { Clock } from "#app/ports.ts";

/** Removes expired counters in small batches. */
export async function removeExpiredCounters({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const before = clock.now();
  await inBatches(store, (part, batchSize) => removeExpiredRateLimits(part, { before, batchSize }));
}
