/** A mutex that is taken in the order of arrival. Not re-entrant: entering twice is a deadlock. */
export type Mutex = {
  acquire(): Promise<void>;
  release(): void;
  /** Enters, runs `work`, leaves; synchronously if the mutex is free and `work` returns no promise. */
  runExclusive<T>(work: () => T | Promise<T>): T | Promise<T>;
};

/** Creates a free mutex. */
export function createMutex(): Mutex {
  const waiting: (() => void)[] = [];
  let isLocked = false;

  async function acquire(): Promise<void> {
    if (isLocked) await new Promise<void>((resolve) => waiting.push(resolve));
    isLocked = true;
  }

  function release(): void {
    const next = waiting.shift();
    // `taken` stays true during the hand-over, so that a later caller cannot overtake.
    if (next) next();
    else isLocked = false;
  }

  function runExclusive<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (isLocked) return runWhenFree(work);
    isLocked = true;
    let result: T | Promise<T>;
    try {
      result = work();
    } catch (error) {
      release();
      throw error;
    }
    if (result instanceof Promise) return result.finally(release);
    release();
    return result;
  }

  async function runWhenFree<T>(work: () => T | Promise<T>): Promise<T> {
    await acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  return { acquire, release, runExclusive };
}
