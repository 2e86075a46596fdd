/** A mutex that is taken in the order of arrival. Not re-entrant: entering twice is a deadlock. */
export type Mutex = {
  enter(): Promise<void>;
  leave(): void;
  /** Enters, runs `work`, leaves; synchronously if the mutex is free and `work` returns no promise. */
  pass<T>(work: () => T | Promise<T>): T | Promise<T>;
};

/** Creates a free mutex. */
export function createMutex(): Mutex {
  const waiting: (() => void)[] = [];
  let taken = false;

  async function enter(): Promise<void> {
    if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
    taken = true;
  }

  function leave(): void {
    const next = waiting.shift();
    // `taken` stays true during the hand-over, so that a later caller cannot overtake.
    if (next) next();
    else taken = false;
  }

  function pass<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (taken) return passLater(work);
    taken = true;
    let result: T | Promise<T>;
    try {
      result = work();
    } catch (error) {
      leave();
      throw error;
    }
    if (result instanceof Promise) return result.finally(leave);
    leave();
    return result;
  }

  async function passLater<T>(work: () => T | Promise<T>): Promise<T> {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  return { enter, leave, pass };
}
