import type { Clock } from "#app/context.server.ts";
import { removeExpiredOneTimeTokens } from "#app/db/repositories/one-time-tokens.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Rows removed by one statement: few, because it holds the only writer of a SQLite file. */
const BATCH = 50;

/** Removes the one-time tokens whose time is over, used or not, in small batches. */
export async function removeExpiredTokens({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const before = clock.now();
  while ((await removeExpiredOneTimeTokens(store, { before, batchSize: BATCH })) === BATCH);
}
