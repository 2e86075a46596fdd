import type { Clock } from "#app/context.server.ts";
import { removeExpiredRecords, removeExpiredRecordsOf } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { KEPT_SECONDS } from "./kept-interaction.server.ts";

/** Rows removed by one statement: few, because it holds the only writer of a SQLite file. */
const BATCH = 50;

/** Interactions whose time is over are kept for a day, so that the sign-in can start again. */
const KEPT_MODEL = "Interaction";

/** Removes what the engine no longer needs, in small batches. Answers how many rows. */
export async function removeExpired({ store, clock }: { store: Store; clock: Clock }): Promise<number> {
  const now = clock.now();
  const keptSince = new Date(now.getTime() - KEPT_SECONDS * 1000);
  const others = await inBatches(() =>
    removeExpiredRecords(store, { before: now, batchSize: BATCH, except: [KEPT_MODEL] }),
  );
  const kept = await inBatches(() =>
    removeExpiredRecordsOf(store, KEPT_MODEL, { before: keptSince, batchSize: BATCH }),
  );
  return others + kept;
}

async function inBatches(remove: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let removed = BATCH; removed === BATCH; ) {
    removed = await remove();
    total += removed;
  }
  return total;
}
