import { vi } from "vitest";

/** Stops the clock of this process, server included, at `minutes` from now; the browser's clock goes on. */
export function letMinutesPass(minutes: number): void {
  vi.setSystemTime(Date.now() + minutes * 60_000);
}

/** Restores the machine's clock. */
export function backToNow(): void {
  vi.useRealTimers();
}
