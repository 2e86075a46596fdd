import type { Logger } from "pino";
import { listLastAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/**
 * Makes what writes one log line a day (UTC) with the number and the hash of the last audit event, and one at the first
 * call. Kept elsewhere than the database, such a line shows later that nobody has shortened or rewritten the trail.
 */
export function createDailyDigest(): (context: { store: Store; clock: Clock; log: Logger }) => Promise<void> {
  let loggedDay = "";
  return async ({ store, clock, log }) => {
    const day = clock.now().toISOString().slice(0, 10);
    if (day === loggedDay) return;
    const [event] = await listLastAuditEvents(store, { limit: 1 });
    if (event) log.info({ event: "audit.digest", digest: `${event.sequence}:${event.hash}` }, "audit.digest");
    loggedDay = day;
  };
}
