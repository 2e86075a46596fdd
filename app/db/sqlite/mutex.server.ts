/** Lets one in at a time, in the order of arrival. Who is inside must not enter again: it would wait for itself. */
export type Mutex = {
  enter(): Promise<void>;
  leave(): void;
  /** Enters, does the work, leaves; at once and without a promise where the gate is free and the work has none. */
  pass<T>(work: () => T | Promise<T>): T | Promise<T>;
};

/** A free gate. */
export function createMutex(): Mutex {
  const waiting: (() => void)[] = [];
  let taken = false;

  async function enter(): Promise<void> {
    if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
    taken = true;
  }

  function leave(): void {
    const next = waiting.shift();
    // The gate stays taken while it is handed over, so that nobody overtakes.
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
