import { AsyncLocalStorage } from "node:async_hooks";

/** Waiting for commits, each by itself or together. */
export type Confirmations = {
  /** Does work whose writes are not waited for one by one: all together at its end. */
  atEnd<T>(work: () => Promise<T>): Promise<T>;
  /** What the caller has to wait for before it goes on; null where the end of the work it is part of waits. */
  awaited(committed: Promise<void> | null): Promise<void> | null;
};

type Collected = { open: boolean; commits: Promise<void>[] };

/** Knows by the running code which work it is part of; what outlives its work waits for itself again. */
export function createConfirmations(): Confirmations {
  const current = new AsyncLocalStorage<Collected>();

  async function atEnd<T>(work: () => Promise<T>): Promise<T> {
    if (current.getStore()?.open) return work();
    const collected: Collected = { open: true, commits: [] };
    try {
      return await current.run(collected, work);
    } finally {
      collected.open = false;
      // In place of whatever the work says: nothing may be told of what was lost, not even that it was refused.
      await Promise.all(collected.commits);
    }
  }

  function awaited(committed: Promise<void> | null): Promise<void> | null {
    const collected = current.getStore();
    if (!committed || !collected?.open) return committed;
    // The end of the work looks at it; until then nobody does.
    committed.catch(() => {});
    collected.commits.push(committed);
    return null;
  }

  return { atEnd, awaited };
}
