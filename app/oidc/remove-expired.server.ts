import type { Clock } from "#app/context.server.ts";
import { removeExpiredRecords, removeExpiredRecordsOf } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import { KEPT_SECONDS } from "./kept-interaction.server.ts";

/** Interactions whose time is over are kept for a day, so that the sign-in can start again. */
const KEPT_MODEL = "Interaction";

/** Removes what the engine no longer needs, in small batches. Answers how many rows. */
export async function removeExpired({ store, clock }: { store: Store; clock: Clock }): Promise<number> {
  const now = clock.now();
  const keptSince = new Date(now.getTime() - KEPT_SECONDS * 1000);
  const others = await inBatches(store, (part, batchSize) =>
    removeExpiredRecords(part, { before: now, batchSize, except: [KEPT_MODEL] }),
  );
  const kept = await inBatches(store, (part, batchSize) =>
    removeExpiredRecordsOf(part, KEPT_MODEL, { before: keptSince, batchSize }),
  );
  return others + kept;
}
