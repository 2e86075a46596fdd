import type { Logger } from "pino";
import { listLastAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/**
 * Creates a function that logs the number and hash of the last audit event at its first call of each day (UTC). Stored
 * apart from the database, the line reveals a later truncation or rewriting of the trail (`verifyAuditChain`).
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
