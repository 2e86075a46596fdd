import { and, desc, eq, lt } from "drizzle-orm";
import type { AuditEvent } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Returns at most `limit` events of the user before sequence number `before` (null: the last ones), newest first. */
export async function listLastEvents(
  store: Store,
  { userId, before, limit }: { userId: string; before: number | null; limit: number },
): Promise<AuditEvent[]> {
  const { auditEvents } = store.t;
  const isEarlier = before === null ? undefined : lt(auditEvents.sequence, before);
  return store.q
    .select()
    .from(auditEvents)
    .where(and(eq(auditEvents.userId, userId), isEarlier))
    .orderBy(desc(auditEvents.sequence))
    .limit(limit);
}

/** Returns true if the audit trail has an event of this type about the user. */
export async function hasEventOfUser(store: Store, userId: string, type: AuditEvent["type"]): Promise<boolean> {
  const { auditEvents } = store.t;
  const found = await store.q
    .select({ sequence: auditEvents.sequence })
    .from(auditEvents)
    .where(and(eq(auditEvents.userId, userId), eq(auditEvents.type, type)))
    .limit(1);
  return found.length > 0;
}
