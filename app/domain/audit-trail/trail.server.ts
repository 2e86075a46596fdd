import { browserName } from "#app/browser-name.server.ts";
import {
  type AuditActors,
  type AuditFilter,
  findLastAuditEvent,
  selectLastAuditEvents,
} from "#app/db/repositories/audit-events.server.ts";
import {
  type AuditPerson,
  findAuditPeople,
  findIdsByFoldedName,
  findIdsOfRemoved,
} from "#app/db/repositories/audit-people.server.ts";
import { findClientNames } from "#app/db/repositories/clients.server.ts";
import type { AuditEvent, AuditOutcome } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { listTypesOfKind, type TrailKind } from "#app/domain/audit/events.ts";
import { parseUsername } from "#app/domain/username/canonical.ts";

/** Number of events on a page. */
export const TRAIL_PER_PAGE = 50;

/** Maximum number of events in an exported file. */
export const MAX_EXPORTED = 100_000;

const EXPORT_PAGE = 500;

/** A name that matches more users is refused: each of them is a search in the index. */
const MAX_PEOPLE = 50;

/**
 * Filter of the whole audit trail; null fields do not restrict it. `person`, `actor`: a part of a name or user name;
 * `actor` also accepts the operating-system user of a command. `since` is inclusive, `until` is exclusive.
 */
export type TrailQuery = {
  person: string | null;
  actor: string | null;
  kind: TrailKind | null;
  clientId: string | null;
  since: Date | null;
  until: Date | null;
};

/** The conditions of a query. `unknown person`: no user has or had the name. `too many`: more than 50 users match a name. */
export type Resolved = { kind: "filter"; filter: AuditFilter } | { kind: "unknown person" } | { kind: "too many" };

/** Finds the users of a query by name. Removed users are found by their complete user name. */
export async function resolveTrail({ store }: { store: Store }, query: TrailQuery): Promise<Resolved> {
  const userIds = query.person === null ? null : await findPeople(store, query.person);
  if (userIds !== null && userIds.length === 0) return { kind: "unknown person" };
  const actorIds = query.actor === null ? null : await findIdsByFoldedName(store, query.actor, MAX_PEOPLE + 1);
  if ([userIds, actorIds].some((ids) => ids !== null && ids.length > MAX_PEOPLE)) return { kind: "too many" };
  const { kind, clientId, since, until } = query;
  return {
    kind: "filter",
    filter: {
      ...(userIds === null ? {} : { userIds }),
      ...(actorIds === null ? {} : { actors: actorsOf(actorIds, query.actor ?? "") }),
      ...(kind === null ? {} : { types: listTypesOfKind(kind) }),
      ...(clientId === null ? {} : { clientId }),
      ...(since === null ? {} : { since }),
      ...(until === null ? {} : { until }),
    },
  };
}

async function findPeople(store: Store, name: string): Promise<string[]> {
  const present = await findIdsByFoldedName(store, name, MAX_PEOPLE + 1);
  if (present.length > 0) return present;
  const parsed = parseUsername(name);
  return findIdsOfRemoved(store, { username: name, canonical: parsed.ok ? parsed.canonical : null }, MAX_PEOPLE);
}

/** A name that no present user has is that of a removed user, or of the operator of commands. */
function actorsOf(ids: readonly string[], name: string): AuditActors {
  return ids.length > 0 ? { ids } : { name };
}

/** The user who made a change, or the operating-system user of a command. */
export type TrailActor = { kind: "user" | "command"; name: string };

/**
 * An event of the audit trail. `person`: the user whom it is about; null without one, or for a removed user without a
 * recorded name. `actor`: null for the user of the event and for the program. `client`: name of the application, or the id
 * of a removed one. `reason`: words that the event recorded, such as a role, a group or a factor. `browser`: null parts are
 * unknown.
 */
export type TrailEvent = {
  sequence: number;
  at: Date;
  type: string;
  outcome: AuditOutcome;
  person: AuditPerson | null;
  actor: TrailActor | null;
  client: string | null;
  reason: string | null;
  browser: { name: string | null; system: string | null };
  address: string | null;
};

/** `next`: pass as `before` to get the following page; null on the last one. */
export type TrailPage = { events: TrailEvent[]; next: number | null };

/** Lists the events of a filter, newest first. `before`: `next` of the previous page, null for the first one. */
export async function listTrail(
  { store }: { store: Store },
  filter: AuditFilter,
  before: number | null,
): Promise<TrailPage> {
  // One extra row shows if there is another page.
  const rows = await selectLastAuditEvents(store, { ...filter, ...upTo(before), limit: TRAIL_PER_PAGE + 1 });
  const shown = rows.slice(0, TRAIL_PER_PAGE);
  const next = rows.length > TRAIL_PER_PAGE ? (shown.at(-1)?.sequence ?? null) : null;
  const people = await findAuditPeople(store, idsOf(shown.flatMap(({ userId, actorId }) => [userId, actorId])));
  const clients = await findClientNames(store, idsOf(shown.map(({ clientId }) => clientId)));
  return { events: shown.map((event) => view(event, people, clients)), next };
}

/** Yields the events of a filter, newest first, page by page, at most `MAX_EXPORTED`. */
export async function* readTrail({ store }: { store: Store }, filter: AuditFilter): AsyncGenerator<AuditEvent[]> {
  let before: number | null = null;
  for (let left = MAX_EXPORTED; left > 0; left -= EXPORT_PAGE) {
    const limit = Math.min(EXPORT_PAGE, left);
    const page: AuditEvent[] = await selectLastAuditEvents(store, { ...filter, ...upTo(before), limit });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    before = page.at(-1)?.sequence ?? null;
  }
}

/**
 * Returns an event without the name of an unknown user as it was typed, which earlier versions recorded: it may be a
 * password.
 */
export function withoutTypedName(event: AuditEvent): AuditEvent {
  if (event.userId !== null || !("nameHash" in event.detail)) return event;
  const { username: _typed, ...detail } = event.detail;
  return { ...event, detail };
}

/** Result of the last verification of the hash chain. `events`: how many there were. */
export type TrailProof = { at: Date; ok: boolean; events: number };

/** Returns the result of the last verification of the hash chain; null if there was none. */
export async function findTrailProof({ store }: { store: Store }): Promise<TrailProof | null> {
  const event = await findLastAuditEvent(store, "audit.verified");
  return event && { at: event.at, ok: event.outcome === "ok", events: Number(event.detail["events"] ?? 0) };
}

/** Returns the user or command that an event names as its actor; null for the user of the event and the program. */
export function actorOf({ detail }: Pick<AuditEvent, "detail">): TrailActor | null {
  const { actor, operator } = detail;
  if (typeof actor === "string") return { kind: "user", name: actor };
  return typeof operator === "string" ? { kind: "command", name: operator } : null;
}

function view(
  event: AuditEvent,
  people: ReadonlyMap<string, AuditPerson>,
  clients: ReadonlyMap<string, string>,
): TrailEvent {
  const { sequence, at, type, outcome, userId, actorId, clientId, address, detail } = event;
  const { userAgent, reason, username } = detail;
  const recorded = typeof username === "string" ? { name: username, username, isRemoved: true } : null;
  const actor = actorOf(event);
  const actorName = actorId === null ? undefined : people.get(actorId)?.name;
  return {
    ...{ sequence, at, type, outcome, address },
    person: userId === null ? null : (people.get(userId) ?? recorded),
    actor: actor && { ...actor, name: actorName ?? actor.name },
    client: clientId === null ? null : (clients.get(clientId) ?? clientId),
    reason: typeof reason === "string" ? reason : null,
    browser: browserName(typeof userAgent === "string" ? userAgent : ""),
  };
}

function upTo(before: number | null): Pick<AuditFilter, "upTo"> {
  return before === null ? {} : { upTo: before - 1 };
}

function idsOf(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.flatMap((id) => id ?? []))];
}
