import { getOnly } from "#app/db/rows.server.ts";
import type { Store } from "#app/db/store.server.ts";

/**
 * Runs `work` in one transaction, commits it if `shouldCommit` returns true for the outcome, and rolls it back otherwise.
 * Returns the outcome in both cases.
 */
export async function commitIf<Outcome>(
  store: Store,
  shouldCommit: (outcome: Outcome) => boolean,
  work: (tx: Store) => Promise<Outcome>,
): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  const rolledBack = new Error("undone");
  try {
    await store.tx(async (tx) => {
      const outcome = await work(tx);
      outcomes.push(outcome);
      if (!shouldCommit(outcome)) throw rolledBack;
    });
  } catch (error) {
    if (error !== rolledBack) throw error;
  }
  return getOnly(outcomes);
}
