import { vi } from "vitest";

/**
 * Moves the clock of the product, and of all that runs in this process, to so many minutes from now, where it stands
 * still. The browser's own clock goes on as it did.
 */
export function letMinutesPass(minutes: number): void {
  vi.setSystemTime(Date.now() + minutes * 60_000);
}

/** Gives the machine's clock back. */
export function backToNow(): void {
  vi.useRealTimers();
}
