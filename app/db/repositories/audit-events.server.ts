import { and, asc, desc, eq, gt, gte, inArray, lte, min, sql } from "drizzle-orm";
import { auditHash, FIRST_PREVIOUS_HASH } from "#app/db/audit-hash.server.ts";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { only } from "#app/db/rows.server.ts";
import type { AuditEvent, Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** An event before it stands in the chain. `detail` holds what JSON can hold, and never a secret. */
export type NewAuditEvent = Omit<AuditEvent, "sequence" | "previousHash" | "hash">;

const append = prepared(({ q, t: { auditEvents } }) => {
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
      previousHash: value("previousHash"),
      hash: value("hash"),
    })
    .returning()
    .prepare();
});

/**
 * Adds an event to the end of the chain. Callers at once come one after the other; inside a transaction the others wait
 * for its end, so it belongs at the end of the work.
 */
export async function appendAuditEvent(store: Store, event: NewAuditEvent): Promise<AuditEvent> {
  return store.isTransaction ? appendIn(store, event) : store.tx((tx) => appendIn(tx, event));
}

async function appendIn(tx: Store, event: NewAuditEvent): Promise<AuditEvent> {
  await tx.lock("audit chain");
  const previousHash = await lastHash(tx);
  const link = { ...event, previousHash };
  const { at, detail } = tx.t.auditEvents;
  const rows = await append(tx).execute({
    ...link,
    at: encoded(at, link.at),
    detail: encoded(detail, link.detail),
    hash: auditHash(link),
  });
  tx.audited();
  return only(rows);
}

const last = prepared(({ q, t: { auditEvents } }) =>
  q.select({ hash: auditEvents.hash }).from(auditEvents).orderBy(desc(auditEvents.sequence)).limit(1).prepare(),
);

async function lastHash(store: Store): Promise<string> {
  const [event] = await last(store).execute();
  return event?.hash ?? FIRST_PREVIOUS_HASH;
}

/** Which events: what is left out does not narrow the list. `since` and the number `upTo` count themselves. */
export type AuditFilter = { userId?: string; types?: readonly string[]; since?: Date; upTo?: number };

/** At most `limit` events in the order they happened: those after number `after` (0: from the start). */
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

/** The last `limit` events, in the order they happened. */
export async function listLastAuditEvents(
  store: Store,
  { limit, ...filter }: { limit: number } & AuditFilter,
): Promise<AuditEvent[]> {
  const { auditEvents } = store.t;
  const newestFirst = await store.q
    .select()
    .from(auditEvents)
    .where(matches(auditEvents, filter))
    .orderBy(desc(auditEvents.sequence))
    .limit(limit);
  return newestFirst.toReversed();
}

function matches(auditEvents: Tables["auditEvents"], { userId, types, since, upTo }: AuditFilter) {
  return and(
    userId === undefined ? undefined : eq(auditEvents.userId, userId),
    types === undefined ? undefined : inArray(auditEvents.type, [...types]),
    since === undefined ? undefined : gte(auditEvents.at, since),
    upTo === undefined ? undefined : lte(auditEvents.sequence, upTo),
  );
}

/** The event with the lowest number; null when there is none. */
export async function findFirstAuditEvent(store: Store): Promise<AuditEvent | null> {
  const [event] = await listAuditEvents(store, { after: 0, limit: 1 });
  return event ?? null;
}

/** The last event before the first one of that time or later; null when there is none. */
export async function findLastAuditEventBefore(store: Store, time: Date): Promise<AuditEvent | null> {
  const { auditEvents } = store.t;
  const kept = store.q
    .select({ first: min(auditEvents.sequence) })
    .from(auditEvents)
    .where(gte(auditEvents.at, time));
  const [event] = await store.q
    .select()
    .from(auditEvents)
    .where(sql`${auditEvents.sequence} < coalesce(${kept}, ${Number.MAX_SAFE_INTEGER})`)
    .orderBy(desc(auditEvents.sequence))
    .limit(1);
  return event ?? null;
}

/** Removes at most `batchSize` events, those with the lowest numbers, up to and with this one. Answers how many. */
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

/** The latest time of any event, which need not be the time of the event that was added last; null without events. */
export async function findLatestAuditTime(store: Store): Promise<Date | null> {
  const { auditEvents } = store.t;
  const [latest] = await store.q
    .select({ at: auditEvents.at })
    .from(auditEvents)
    .orderBy(desc(auditEvents.at))
    .limit(1);
  return latest?.at ?? null;
}

/** The event that was added last; of one type when `type` is given. Null when there is none. */
export async function findLastAuditEvent(store: Store, type?: string): Promise<AuditEvent | null> {
  const [event] = await listLastAuditEvents(store, type === undefined ? { limit: 1 } : { limit: 1, types: [type] });
  return event ?? null;
}

/** The hash of the event with this number; null when there is none. */
export async function findAuditHash(store: Store, sequence: number): Promise<string | null> {
  const { auditEvents } = store.t;
  const [event] = await store.q
    .select({ hash: auditEvents.hash })
    .from(auditEvents)
    .where(eq(auditEvents.sequence, sequence));
  return event?.hash ?? null;
}
