/** Runs `work` in a loop with `clients` concurrent clients for `seconds`. Resolves to the number of runs per second. */
export async function ratePerSecond(
  { clients, seconds }: { clients: number; seconds: number },
  work: () => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1000;
  let done = 0;
  async function client() {
    while (performance.now() < deadline) {
      await work();
      done += 1;
    }
  }
  await Promise.all(Array.from({ length: clients }, client));
  return done / ((performance.now() - startedAt) / 1000);
}

/** Runs `work` `times` times in total with `clients` concurrent clients. */
export async function repeat(
  { clients, times }: { clients: number; times: number },
  work: () => Promise<unknown>,
): Promise<void> {
  let left = times;
  async function client() {
    while (left > 0) {
      left -= 1;
      await work();
    }
  }
  await Promise.all(Array.from({ length: clients }, client));
}
