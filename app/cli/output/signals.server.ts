const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Resolves with the first SIGINT or SIGTERM. A second one ends the process immediately. */
export function stopSignal(): Promise<NodeJS.Signals> {
  let isStopping = false;
  return new Promise((resolve) => {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (isStopping) process.exit(1);
        isStopping = true;
        resolve(signal);
      });
    }
  });
}

/**
 * Runs long work that can be stopped between two steps: `isStopped` returns true after SIGINT or SIGTERM. A second signal
 * ends the process immediately.
 */
export async function interruptible<T>(work: (isStopped: () => boolean) => Promise<T>): Promise<T> {
  let stopped = false;
  const stop = () => {
    if (stopped) process.exit(1);
    stopped = true;
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(() => stopped);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
