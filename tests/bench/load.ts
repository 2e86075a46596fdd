import { setTimeout as sleep } from "node:timers/promises";

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

/** Response time of a run from its scheduled time on, in milliseconds; null if it failed. */
export type PacedRun = number | null;

/** Timers are late by 1 to 2 ms; due runs start together. */
const TICK_MS = 2;

/**
 * Starts `work` at a fixed rate for `seconds`, regardless of pending runs (open loop), and waits for all. Resolves to
 * the runs, and the seconds until the last one ended.
 */
export async function runPaced(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  work: () => Promise<unknown>,
): Promise<{ runs: PacedRun[]; seconds: number }> {
  const startedAt = performance.now();
  const pending: Promise<PacedRun>[] = [];
  for (let due = startedAt; due < startedAt + seconds * 1000; ) {
    for (const now = performance.now(); due <= now; due += 1000 / perSecond) pending.push(timed(work, due));
    await sleep(TICK_MS);
  }
  const runs = await Promise.all(pending);
  return { runs, seconds: (performance.now() - startedAt) / 1000 };
}

async function timed(work: () => Promise<unknown>, due: number): Promise<PacedRun> {
  try {
    await work();
    return performance.now() - due;
  } catch {
    return null;
  }
}
