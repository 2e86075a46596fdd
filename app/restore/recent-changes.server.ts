import { listLastAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { findUsersWithFactors } from "#app/db/repositories/restore.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { EventDefinition } from "#app/domain/audit/event-definition.ts";
import { AUDIT_EVENTS } from "#app/domain/audit/events.ts";
import { DAY_MS } from "#app/durations.ts";
import { type AffectedRecords, RECENT_DAYS } from "./report.ts";

/** Events that are read, and users that are named; the other users are counted. */
const MAX_EVENTS = 5_000;
const MAX_USERS = 100;

/** Kinds of changes to a user, by the type of their event. */
const CHANGES: ReadonlyMap<string, string> = new Map(
  Object.entries<EventDefinition>(AUDIT_EVENTS).flatMap(([type, { restore }]) =>
    restore !== null && typeof restore !== "string" && "user" in restore ? [[type, restore.user] as const] : [],
  ),
);

/**
 * Returns the users who were changed in the week before `last`, the last event of the database, latest change first.
 * They are the ones who are most likely to have been changed again after it.
 */
export async function findRecentlyChanged(
  store: Store,
  last: AuditEvent | null,
): Promise<Pick<AffectedRecords, "recentlyChanged" | "moreRecentlyChanged">> {
  if (last === null) return { recentlyChanged: [], moreRecentlyChanged: 0 };
  const since = new Date(last.at.getTime() - RECENT_DAYS * DAY_MS);
  const events = await listLastAuditEvents(store, { types: [...CHANGES.keys()], since, limit: MAX_EVENTS });
  const changes = new Map<string, Set<string>>();
  for (const { type, userId, outcome } of events.toReversed()) {
    if (outcome !== "ok" || userId === null) continue;
    changes.set(userId, (changes.get(userId) ?? new Set()).add(CHANGES.get(type) ?? type));
  }
  const names = new Map(
    (await findUsersWithFactors(store, [...changes.keys()])).map(({ id, username }) => [id, username]),
  );
  const all = [...changes].flatMap(([id, what]) => {
    const username = names.get(id);
    return username === undefined ? [] : [{ id, username, what: [...what] }];
  });
  return { recentlyChanged: all.slice(0, MAX_USERS), moreRecentlyChanged: Math.max(0, all.length - MAX_USERS) };
}
