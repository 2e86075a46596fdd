import { and, desc, eq, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { Consent } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

const find = prepared(({ q, t: { consents } }) =>
  q
    .select()
    .from(consents)
    .where(and(eq(consents.userId, sql.placeholder("userId")), eq(consents.clientId, sql.placeholder("clientId"))))
    .prepare(),
);

/** What the user allowed this client, however long ago. */
export async function findConsent(store: Store, userId: string, clientId: string): Promise<Consent | null> {
  const [consent] = await find(store).execute({ userId, clientId });
  return consent ?? null;
}

/** All that the user allowed, however long ago. */
export async function listConsents(store: Store, userId: string): Promise<Consent[]> {
  const { consents } = store.t;
  return store.q.select().from(consents).where(eq(consents.userId, userId)).orderBy(desc(consents.grantedAt));
}

/** Stores what the user allowed the client, in place of what was stored before. */
export async function saveConsent(store: Store, consent: Consent): Promise<void> {
  const { consents } = store.t;
  const { scopes, claims, grantedAt } = consent;
  await store.q
    .insert(consents)
    .values(consent)
    .onConflictDoUpdate({ target: [consents.userId, consents.clientId], set: { scopes, claims, grantedAt } });
}

/** Forgets what the user allowed the client. False when nothing was stored. */
export async function removeConsent(store: Store, userId: string, clientId: string): Promise<boolean> {
  if (cannotBeStored(clientId)) return false;
  const { consents } = store.t;
  const removed = await store.q
    .delete(consents)
    .where(and(eq(consents.userId, userId), eq(consents.clientId, clientId)))
    .returning({ userId: consents.userId });
  return removed.length === 1;
}
