import { and, asc, desc, eq, gt, gte, inArray, lt, lte, min, or, sql } from "drizzle-orm";
import { auditHash, FIRST_PREVIOUS_HASH } from "#app/db/audit-hash.server.ts";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { getOnly } from "#app/db/rows.server.ts";
import type { AuditEvent, Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** An event before it is added to the chain. `detail` is JSON without secrets. */
export type NewAuditEvent = Omit<AuditEvent, "sequence" | "actorId" | "previousHash" | "hash">;

const appendStatement = prepared(({ q, t: { auditEvents } }) => {
  const value = (name: string) => sql`${sql.placeholder(name)}`;
  return q
    .insert(auditEvents)
    .values({
      at: value("at"),
      type: value("type"),
      outcome: value("outcome"),
      userId: value("userId"),
      clientId: value("clientId"),
      address: value("address"),
      requestId: value("requestId"),
      detail: value("detail"),
      actorId: value("actorId"),
      previousHash: value("previousHash"),
      hash: value("hash"),
    })
    .returning()
    .prepare();
});

/**
 * Appends an event to the hash chain, with the operator of a command, or the user of `actingAs`. The chain stays locked until the
 * transaction ends: call it before the commit.
 */
export async function appendAuditEvent(store: Store, event: NewAuditEvent): Promise<AuditEvent> {
  return store.isTransaction ? appendIn(store, event) : store.tx((tx) => appendIn(tx, event));
}

async function appendIn(tx: Store, event: NewAuditEvent): Promise<AuditEvent> {
  await tx.lock("audit chain");
  const previousHash = await lastHash(tx);
  const operator = tx.operator === null ? {} : { operator: tx.operator };
  // The name, too: it is needed when the user is removed.
  const actor = tx.administrator === null ? {} : { actor: tx.administrator.username };
  const actorId = tx.administrator?.userId ?? null;
  const linkedEvent = { ...event, detail: { ...event.detail, ...operator, ...actor }, actorId, previousHash };
  const { at, detail } = tx.t.auditEvents;
  const rows = await appendStatement(tx).execute({
    ...linkedEvent,
    at: encoded(at, linkedEvent.at),
    detail: encoded(detail, linkedEvent.detail),
    hash: auditHash(linkedEvent),
  });
  tx.events.emit("audit event");
  return getOnly(rows);
}

const lastStatement = prepared(({ q, t: { auditEvents } }) =>
  q.select({ hash: auditEvents.hash }).from(auditEvents).orderBy(desc(auditEvents.sequence)).limit(1).prepare(),
);

async function lastHash(store: Store): Promise<string> {
  const [event] = await lastStatement(store).execute();
  return event?.hash ?? FIRST_PREVIOUS_HASH;
}

/** The actors of events: users by id, or the name of an actor or of an operator of commands, as recorded. */
export type AuditActors = { ids: readonly string[] } | { name: string };

/** Filter of audit events; omitted fields do not restrict it. `since` and `upTo` are inclusive, `until` is exclusive. */
export type AuditFilter = {
  userId?: string;
  userIds?: readonly string[];
  actors?: AuditActors;
  clientId?: string;
  types?: readonly string[];
  since?: Date;
  until?: Date;
  upTo?: number;
};

/** Returns at most `limit` events after sequence number `after` (0: from the start), oldest first. */
export async function listAuditEvents(
  store: Store,
  { after, limit, ...filter }: { after: number; limit: number } & AuditFilter,
): Promise<AuditEvent[]> {
  const { auditEvents } = store.t;
  return store.q
    .select()
    .from(auditEvents)
    .where(and(gt(auditEvents.sequence, after), matches(auditEvents, filter)))
    .orderBy(asc(auditEvents.sequence))
    .limit(limit);
}

/** Returns at most `limit` events after sequence number `after`, oldest first. Every recorded event runs it. */
export async function listNewAuditEvents(
  store: Store,
  { after, limit }: { after: number; limit: number },
): Promise<AuditEvent[]> {
  return newStatement(store).execute({ after, limit });
}

const newStatement = prepared(({ q, t: { auditEvents } }) =>
  q
    .select()
    .from(auditEvents)
    .where(gt(auditEvents.sequence, sql.placeholder("after")))
    .orderBy(asc(auditEvents.sequence))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Returns the last `limit` events, oldest first. */
export async function listLastAuditEvents(
  store: Store,
  { limit, ...filter }: { limit: number } & AuditFilter,
): Promise<AuditEvent[]> {
  const newestFirst = await selectLastAuditEvents(store, { limit, ...filter });
  return newestFirst.toReversed();
}

/** Selects the last `limit` events, newest first. */
export function selectLastAuditEvents(store: Store, { limit, ...filter }: { limit: number } & AuditFilter) {
  const { auditEvents } = store.t;
  return store.q
    .select()
    .from(auditEvents)
    .where(matches(auditEvents, filter))
    .orderBy(desc(auditEvents.sequence))
    .limit(limit);
}

function matches(auditEvents: Tables["auditEvents"], filter: AuditFilter) {
  const { userId, userIds, actors, clientId, types, since, until, upTo } = filter;
  return and(
    userIds === undefined ? undefined : inArray(auditEvents.userId, [...userIds]),
    actors === undefined ? undefined : matchesActors(auditEvents, actors),
    clientId === undefined ? undefined : eq(auditEvents.clientId, clientId),
    until === undefined ? undefined : lt(auditEvents.at, until),
    userId === undefined ? undefined : eq(auditEvents.userId, userId),
    types === undefined ? undefined : inArray(auditEvents.type, [...types]),
    since === undefined ? undefined : gte(auditEvents.at, since),
    upTo === undefined ? undefined : lte(auditEvents.sequence, upTo),
  );
}

function matchesActors({ actorId, detail }: Tables["auditEvents"], actors: AuditActors) {
  if ("ids" in actors) return inArray(actorId, [...actors.ids]);
  return or(sql`${detail} ->> 'actor' = ${actors.name}`, sql`${detail} ->> 'operator' = ${actors.name}`);
}

/** Returns the event with the lowest sequence number; null if there is none. */
export async function findFirstAuditEvent(store: Store): Promise<AuditEvent | null> {
  const [event] = await listAuditEvents(store, { after: 0, limit: 1 });
  return event ?? null;
}

/** Returns the first event that is not in the future; null if there is none. */
export async function findFirstPastAuditEvent(store: Store, now: Date): Promise<AuditEvent | null> {
  const { auditEvents } = store.t;
  const [event] = await store.q
    .select()
    .from(auditEvents)
    .where(lte(auditEvents.at, now))
    .orderBy(asc(auditEvents.sequence))
    .limit(1);
  return event ?? null;
}

/**
 * Returns the last event before `time` that precedes the first one from `time` to `now`; null if there is none. Events
 * after `now` come from a clock that was ahead, and count as old as those that follow them.
 */
export async function findLastAuditEventBefore(
  store: Store,
  { time, now }: { time: Date; now: Date },
): Promise<AuditEvent | null> {
  const { auditEvents } = store.t;
  const kept = store.q
    .select({ first: min(auditEvents.sequence) })
    .from(auditEvents)
    .where(and(gte(auditEvents.at, time), lte(auditEvents.at, now)));
  const isBeforeKept = sql`${auditEvents.sequence} < coalesce(${kept}, ${Number.MAX_SAFE_INTEGER})`;
  const [event] = await store.q
    .select()
    .from(auditEvents)
    .where(and(isBeforeKept, lt(auditEvents.at, time)))
    .orderBy(desc(auditEvents.sequence))
    .limit(1);
  return event ?? null;
}

/** Removes at most `batchSize` of the oldest events, up to and including number `through`. Returns how many. */
export async function removeAuditEventsThrough(
  store: Store,
  { through, batchSize }: { through: number; batchSize: number },
): Promise<number> {
  const { auditEvents } = store.t;
  const batch = store.q
    .select({ sequence: auditEvents.sequence })
    .from(auditEvents)
    .where(lte(auditEvents.sequence, through))
    .orderBy(asc(auditEvents.sequence))
    .limit(batchSize);
  const removed = await store.q
    .delete(auditEvents)
    .where(inArray(auditEvents.sequence, batch))
    .returning({ sequence: auditEvents.sequence });
  return removed.length;
}

/** Returns the latest time of all events, which may not be the time of the last added one; null without events. */
export async function findLatestAuditTime(store: Store): Promise<Date | null> {
  const { auditEvents } = store.t;
  const [latest] = await store.q
    .select({ at: auditEvents.at })
    .from(auditEvents)
    .orderBy(desc(auditEvents.at))
    .limit(1);
  return latest?.at ?? null;
}

/** Returns the event that was added last, of type `type` if given; null if there is none. */
export async function findLastAuditEvent(store: Store, type?: string): Promise<AuditEvent | null> {
  const [event] = await listLastAuditEvents(store, type === undefined ? { limit: 1 } : { limit: 1, types: [type] });
  return event ?? null;
}

/** Returns true if the audit trail has an event of this type about the user. */
export async function hasEventOfUser(store: Store, userId: string, type: AuditEvent["type"]): Promise<boolean> {
  const found = await ofUserStatement(store).execute({ userId, type });
  return found.length > 0;
}

const ofUserStatement = prepared(({ q, t: { auditEvents } }) =>
  q
    .select({ sequence: auditEvents.sequence })
    .from(auditEvents)
    .where(and(eq(auditEvents.userId, sql.placeholder("userId")), eq(auditEvents.type, sql.placeholder("type"))))
    .limit(1)
    .prepare(),
);

/** Returns the hash of the event with this sequence number; null if there is none. */
export async function findAuditHash(store: Store, sequence: number): Promise<string | null> {
  const { auditEvents } = store.t;
  const [event] = await store.q
    .select({ hash: auditEvents.hash })
    .from(auditEvents)
    .where(eq(auditEvents.sequence, sequence));
  return event?.hash ?? null;
}
