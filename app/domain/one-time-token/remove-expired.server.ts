import { removeExpiredOneTimeTokens } from "#app/db/repositories/one-time-tokens.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import type { Clock } from "#app/ports.ts";

/** Removes expired one-time tokens, used or not, in small batches. */
export async function removeExpiredTokens({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const before = clock.now();
  await inBatches(store, (part, batchSize) => removeExpiredOneTimeTokens(part, { before, batchSize }));
}
