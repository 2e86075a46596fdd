import { listLastAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import type { AuditEvent, AuditOutcome } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsAccess } from "#app/domain/settings/access.ts";
import { browserName } from "#app/mail/browser-name.server.ts";

/** Number of events on a page. */
export const ACTIVITY_PAGE = 20;

/**
 * An event of the account. `type`: see events.ts; `reason`: a fixed word, such as the factor, or null; `browser`: null
 * for an unrecognised name or system; `address`: null for an administrator's command.
 */
export type Activity = {
  at: Date;
  type: string;
  outcome: AuditOutcome;
  reason: string | null;
  browser: { name: string | null; system: string | null };
  address: string | null;
};

/** `next`: pass as `before` to get the following page; null on the last one. */
export type ActivityPage = { events: Activity[]; next: number | null };

/** Lists the user's events, newest first. `before`: `next` of the previous page, null for the first one. */
export async function listOwnActivity(
  { store }: { store: Store },
  { userId }: SettingsAccess,
  { before }: { before: number | null },
): Promise<ActivityPage> {
  // One extra row shows if there is another page.
  const page = { userId, limit: ACTIVITY_PAGE + 1, ...(before === null ? {} : { upTo: before - 1 }) };
  const rows = (await listLastAuditEvents(store, page)).toReversed();
  const shown = rows.slice(0, ACTIVITY_PAGE);
  const next = rows.length > ACTIVITY_PAGE ? (shown.at(-1)?.sequence ?? null) : null;
  return { events: shown.map(view), next };
}

function view({ at, type, outcome, address, detail }: AuditEvent): Activity {
  const { reason, userAgent } = detail;
  return {
    ...{ at, type, outcome, address },
    reason: typeof reason === "string" ? reason : null,
    browser: browserName(typeof userAgent === "string" ? userAgent : ""),
  };
}
