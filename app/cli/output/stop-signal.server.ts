const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Waits until the process is told to stop (Ctrl-C, `kill`), and answers by which signal. A second one ends it at once. */
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
