import { vi } from "vitest";

/**
 * Sets the clock of this process, server included, to `minutes` from now and stops it. The browser's clock is
 * unaffected.
 */
export function letMinutesPass(minutes: number): void {
  vi.setSystemTime(Date.now() + minutes * 60_000);
}

/** Restores the machine's clock. */
export function backToNow(): void {
  vi.useRealTimers();
}
