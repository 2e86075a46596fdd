import type { Logger } from "pino";
import { findLatestAuditTime } from "#app/db/repositories/audit-events.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/** Tolerated lag behind an audit event: clocks of several machines differ by seconds. */
const TOLERANCE_MS = 5_000;

/**
 * Returns the seconds by which the clock is behind the latest of all audit events, 0 within the tolerance. All events
 * are compared, because a server whose clock was set back appends events with earlier times.
 */
export async function clockBehindSeconds({ store, clock }: { store: Store; clock: Clock }): Promise<number> {
  const latest = await findLatestAuditTime(store);
  const behindMs = latest === null ? 0 : latest.getTime() - clock.now().getTime();
  return behindMs > TOLERANCE_MS ? Math.round(behindMs / 1000) : 0;
}

/** Logs a warning if the clock was set back, which extends the lifetime of existing codes and tokens. */
export async function warnOfClock(context: { store: Store; clock: Clock; log: Logger }): Promise<void> {
  const behindSeconds = await clockBehindSeconds(context);
  if (behindSeconds === 0) return;
  context.log.warn(
    { behindSeconds },
    "the clock is behind the latest audit event. Run: timedatectl set-ntp true; then: gatehouse doctor",
  );
}
