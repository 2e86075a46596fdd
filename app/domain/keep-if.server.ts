import { only } from "#app/db/rows.server.ts";
import type { Store } from "#app/db/store.server.ts";

/**
 * Runs `work` in one transaction, commits it if `isKept` returns true for the outcome, and rolls it back otherwise.
 * Returns the outcome in both cases.
 */
export async function keepIf<Outcome>(
  store: Store,
  isKept: (outcome: Outcome) => boolean,
  work: (tx: Store) => Promise<Outcome>,
): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  const undone = new Error("undone");
  try {
    await store.tx(async (tx) => {
      const outcome = await work(tx);
      outcomes.push(outcome);
      if (!isKept(outcome)) throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
  return only(outcomes);
}
