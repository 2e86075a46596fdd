import type { Logger } from "pino";
import { findLatestAuditTime } from "#app/db/repositories/audit-events.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/** How far the clock may be behind an audit event: clocks of several machines differ by seconds. */
const TOLERANCE_MS = 5_000;

/**
 * Seconds by which the clock is behind the latest of all audit events, 0 within the tolerance. All events are compared,
 * because a server whose clock was turned back goes on to add events with earlier times.
 */
export async function clockBehindSeconds({ store, clock }: { store: Store; clock: Clock }): Promise<number> {
  const latest = await findLatestAuditTime(store);
  const behindMs = latest === null ? 0 : latest.getTime() - clock.now().getTime();
  return behindMs > TOLERANCE_MS ? Math.round(behindMs / 1000) : 0;
}

/** Logs a warning when the clock was turned back: codes and tokens of later times would live longer than they should. */
export async function warnOfClock(context: { store: Store; clock: Clock; log: Logger }): Promise<void> {
  const behindSeconds = await clockBehindSeconds(context);
  if (behindSeconds === 0) return;
  context.log.warn(
    { behindSeconds },
    "the clock is behind the latest audit event. Run: timedatectl set-ntp true; then: gatehouse doctor",
  );
}
