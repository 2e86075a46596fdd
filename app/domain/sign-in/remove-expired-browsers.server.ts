import { removeExpiredBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import type { Clock } from "#app/ports.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Creates a job that removes known browsers whose cookie is expired. Keeps the last browser of each user, so that a
 * sign-in in another browser is still notified. Runs at most once a day, because these rows have no index on time.
 */
export function createBrowserRemoval({
  afterSeconds,
}: {
  afterSeconds: number;
}): (context: { store: Store; clock: Clock }) => Promise<void> {
  let doneAt: Date | null = null;
  return async ({ store, clock }) => {
    const now = clock.now();
    if (doneAt !== null && Math.abs(now.getTime() - doneAt.getTime()) < DAY_MS) return;
    const before = new Date(now.getTime() - afterSeconds * 1000);
    await inBatches({ store, clock }, (part, batchSize) => removeExpiredBrowsers(part, { before, batchSize }));
    doneAt = now;
  };
}
