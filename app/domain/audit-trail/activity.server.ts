import { browserName } from "#app/browser-name.server.ts";
import { listLastAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { findClientNames } from "#app/db/repositories/clients.server.ts";
import type { AuditEvent, AuditOutcome } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import type { ActivityKind } from "#app/domain/audit/event-definition.ts";
import { type AuditEventType, listTypesOfKind } from "#app/domain/audit/events.ts";

/** Number of events on a page. */
export const EVENTS_PER_PAGE = 20;

/**
 * An event of the account. `type`: see events.ts; `reason`: a fixed word, such as the factor, or null; `client`: name
 * of the application, null for none and for a removed one; `browser`: null for an unrecognised name or system;
 * `isNewBrowser`: a sign-in that a mail reported as that of an unknown browser; `address`: null for an administrator's
 * command; `actor`: the user with a role who did it, or null.
 */
export type Activity = {
  at: Date;
  type: string;
  outcome: AuditOutcome;
  reason: string | null;
  client: string | null;
  browser: { name: string | null; system: string | null };
  isNewBrowser: boolean;
  address: string | null;
  actor: string | null;
};

/** `next`: pass as `before` to get the following page; null on the last one. */
type ActivityPage = { events: Activity[]; next: number | null };

/**
 * Lists the user's events, newest first. `before`: `next` of the previous page, null for the first one; `kind`: null
 * for all events.
 */
export async function listOwnActivity(
  { store }: { store: Store },
  { userId }: SettingsAccess,
  { before, kind }: { before: number | null; kind: ActivityKind | null },
): Promise<ActivityPage> {
  const rows = await listLastAuditEvents(store, {
    userId,
    // One extra row shows if there is another page.
    limit: EVENTS_PER_PAGE + 1,
    ...(before === null ? {} : { upTo: before - 1 }),
    ...(kind === null ? {} : { types: listTypesOfKind(kind) }),
  });
  const shown = rows.toReversed().slice(0, EVENTS_PER_PAGE);
  const next = rows.length > EVENTS_PER_PAGE ? (shown.at(-1)?.sequence ?? null) : null;
  const clients = await findClientNames(store, [...new Set(shown.flatMap(({ clientId }) => clientId ?? []))]);
  return { events: shown.map((event) => view(event, clients)), next };
}

/** The user's last complete sign-in. `browser`: null parts are unknown. */
type LastSignIn = Pick<Activity, "at" | "browser">;

/** Returns the user's last complete sign-in, by one statement; null if the audit trail contains none. */
export async function findLastSignIn(
  { store }: { store: Store },
  { userId }: Pick<SettingsAccess, "userId">,
): Promise<LastSignIn | null> {
  const [event] = await listLastAuditEvents(store, { userId, types: [SIGNED_IN], limit: 1 });
  return event ? { at: event.at, browser: browserOf(event) } : null;
}

const SIGNED_IN = "sign-in.succeeded" satisfies AuditEventType;

function view(event: AuditEvent, clients: Map<string, string>): Activity {
  const { at, type, outcome, clientId, address, detail } = event;
  return {
    ...{ at, type, outcome, address },
    reason: typeof detail.reason === "string" ? detail.reason : null,
    client: (clientId !== null && clients.get(clientId)) || null,
    browser: browserOf(event),
    isNewBrowser: detail.browser === "new",
    actor: typeof detail.actor === "string" ? detail.actor : null,
  };
}

function browserOf({ detail: { userAgent } }: AuditEvent): Activity["browser"] {
  return browserName(typeof userAgent === "string" ? userAgent : "");
}
