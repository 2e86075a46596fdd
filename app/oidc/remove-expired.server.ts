import { removeExpiredRecords } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import type { Clock } from "#app/ports.ts";
import { KEPT_MAX_LENGTH, KEPT_SECONDS } from "./kept-interaction.server.ts";

/** Small interactions whose time is over are kept for a day, so that the sign-in can start again. */
const KEPT = { model: "Interaction", maxLength: KEPT_MAX_LENGTH } as const;

const MINUTE_MS = 60_000;

/** So much of the last day is looked through at once: among what is kept, one statement must not search for long. */
const SLICE_MS = 10 * MINUTE_MS;

/** Another server's clock may be behind; what is later than this goes with what was kept. */
const OVERLAP_MS = 5 * MINUTE_MS;

/**
 * Makes what removes what the engine no longer needs, and answers how many rows. Of the last day, where a busy server
 * keeps 100,000 interactions between what goes, it looks only at what ran out since it looked last.
 */
export function createRecordRemoval(): (context: { store: Store; clock: Clock }) => Promise<number> {
  let doneUntil: Date | null = null;
  return async ({ store, clock }) => {
    const now = clock.now();
    const keptSince = earlier(now, KEPT_SECONDS * 1000);
    let total = await inBatches(store, (part, batchSize) =>
      removeExpiredRecords(part, { before: keptSince, batchSize }),
    );
    const looked = doneUntil === null ? keptSince : earlier(doneUntil, OVERLAP_MS);
    for (let after = looked < keptSince ? keptSince : looked; after < now; ) {
      const slice = {
        after,
        before: new Date(Math.min(after.getTime() + SLICE_MS, now.getTime())),
        except: KEPT,
      };
      total += await inBatches(store, (part, batchSize) => removeExpiredRecords(part, { ...slice, batchSize }));
      after = slice.before;
    }
    doneUntil = now;
    return total;
  };
}

function earlier(time: Date, ms: number): Date {
  return new Date(time.getTime() - ms);
}
