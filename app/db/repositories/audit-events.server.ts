import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import { auditHash, FIRST_PREVIOUS_HASH } from "#app/db/audit-hash.server.ts";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { only } from "#app/db/rows.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
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
  return store.tx(async (tx) => {
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
    return only(rows);
  });
}

const last = prepared(({ q, t: { auditEvents } }) =>
  q.select({ hash: auditEvents.hash }).from(auditEvents).orderBy(desc(auditEvents.sequence)).limit(1).prepare(),
);

async function lastHash(store: Store): Promise<string> {
  const [event] = await last(store).execute();
  return event?.hash ?? FIRST_PREVIOUS_HASH;
}

/**
 * At most `limit` events in the order they happened: those after number `after` (0: from the start), of one user when
 * `userId` is given.
 */
export async function listAuditEvents(
  store: Store,
  { after, limit, userId }: { after: number; limit: number; userId?: string },
): Promise<AuditEvent[]> {
  const { auditEvents } = store.t;
  const ofUser = userId === undefined ? undefined : eq(auditEvents.userId, userId);
  return store.q
    .select()
    .from(auditEvents)
    .where(and(gt(auditEvents.sequence, after), ofUser))
    .orderBy(asc(auditEvents.sequence))
    .limit(limit);
}
