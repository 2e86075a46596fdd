import { only } from "#app/db/rows.server.ts";
import type { Store } from "#app/db/store.server.ts";

/**
 * Does the work in one transaction, keeps what it did when its outcome says so, and undoes all of it else. The outcome
 * comes back either way.
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
