import { AsyncLocalStorage } from "node:async_hooks";

/** Waits for commits one by one or together. */
export type DeferredCommits = {
  /**
   * Runs `work` without waiting for each commit, then waits for all. Rejects when a commit fails, even if `work` threw.
   */
  waitAtEnd<T>(work: () => Promise<T>): Promise<T>;
  /** Returns the promise that the caller has to await; null if the surrounding `waitAtEnd` awaits it. */
  commitToAwait(committed: Promise<void> | null): Promise<void> | null;
};

type Collected = { open: boolean; commits: Promise<void>[] };

/** Finds the surrounding `waitAtEnd` by AsyncLocalStorage; code that outlives it waits for its own commits again. */
export function createDeferredCommits(): DeferredCommits {
  const current = new AsyncLocalStorage<Collected>();

  async function waitAtEnd<T>(work: () => Promise<T>): Promise<T> {
    if (current.getStore()?.open) return work();
    const collected: Collected = { open: true, commits: [] };
    try {
      return await current.run(collected, work);
    } finally {
      collected.open = false;
      // Rejects when a commit fails, even if `work` threw: its error may be based on lost data.
      await Promise.all(collected.commits);
    }
  }

  function commitToAwait(committed: Promise<void> | null): Promise<void> | null {
    const collected = current.getStore();
    if (!committed || !collected?.open) return committed;
    // `waitAtEnd` awaits it later; prevents an unhandled rejection until then.
    committed.catch(() => {});
    collected.commits.push(committed);
    return null;
  }

  return { waitAtEnd, commitToAwait };
}
