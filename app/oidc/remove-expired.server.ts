import { removeExpiredRecords } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import { MINUTE_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";
import { KEPT_MAX_LENGTH, KEPT_SECONDS } from "./finished-interaction.server.ts";

/** Small expired interactions are kept for a day, so that the sign-in can restart. */
const KEPT = { model: "Interaction", maxLength: KEPT_MAX_LENGTH } as const;

/** Range of expiry times per statement, because each statement also scans the kept interactions. */
const SLICE_MS = 10 * MINUTE_MS;

/** Overlap between runs, for servers whose clock is behind. Later records are removed after KEPT_SECONDS. */
const OVERLAP_MS = 5 * MINUTE_MS;

/**
 * Creates the clean-up of expired records; it resolves to the number of removed rows. For the last day, in which
 * 100,000 interactions may be kept, each run reads only what expired since the previous run.
 */
export function createRecordRemoval(): (context: { store: Store; clock: Clock }) => Promise<number> {
  let doneUntil: Date | null = null;
  return async ({ store, clock }) => {
    const now = clock.now();
    const keptSince = earlier(now, KEPT_SECONDS * 1000);
    let total = await inBatches({ store, clock }, (batchStore, batchSize) =>
      removeExpiredRecords(batchStore, { before: keptSince, batchSize }),
    );
    const previousEnd = doneUntil === null ? keptSince : earlier(doneUntil, OVERLAP_MS);
    for (let after = previousEnd < keptSince ? keptSince : previousEnd; after < now; ) {
      const slice = {
        after,
        before: new Date(Math.min(after.getTime() + SLICE_MS, now.getTime())),
        except: KEPT,
      };
      total += await inBatches({ store, clock }, (batchStore, batchSize) =>
        removeExpiredRecords(batchStore, { ...slice, batchSize }),
      );
      after = slice.before;
    }
    doneUntil = now;
    return total;
  };
}

function earlier(time: Date, ms: number): Date {
  return new Date(time.getTime() - ms);
}
