const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Does long work that ends at a safe place when somebody presses Ctrl-C: `isStopped` tells it. A second Ctrl-C ends the
 * process at once.
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
