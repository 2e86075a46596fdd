import { and, desc, eq, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { Consent } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

const findStatement = prepared(({ q, t: { consents } }) =>
  q
    .select()
    .from(consents)
    .where(and(eq(consents.userId, sql.placeholder("userId")), eq(consents.clientId, sql.placeholder("clientId"))))
    .prepare(),
);

/** Returns the consent of the user for the client, whatever its age. */
export async function findConsent(store: Store, userId: string, clientId: string): Promise<Consent | null> {
  const [consent] = await findStatement(store).execute({ userId, clientId });
  return consent ?? null;
}

/** Returns all consents of the user, whatever their age. */
export async function listConsents(store: Store, userId: string): Promise<Consent[]> {
  const { consents } = store.t;
  return store.q.select().from(consents).where(eq(consents.userId, userId)).orderBy(desc(consents.grantedAt));
}

/** A consent with the user name and the client's name. */
type NamedConsent = Pick<Consent, "userId" | "clientId" | "scopes" | "grantedAt"> & {
  username: string;
  name: string;
};

/** Returns the consents of a user, of a client or both, whatever their age; newest first. */
export async function listStoredConsents(
  store: Store,
  { userId, clientId }: { userId?: string; clientId?: string },
): Promise<NamedConsent[]> {
  const { consents, users, clients } = store.t;
  return store.q
    .select({
      userId: consents.userId,
      clientId: consents.clientId,
      scopes: consents.scopes,
      grantedAt: consents.grantedAt,
      username: users.username,
      name: clients.name,
    })
    .from(consents)
    .innerJoin(users, eq(users.id, consents.userId))
    .innerJoin(clients, eq(clients.id, consents.clientId))
    .where(
      and(
        userId === undefined ? undefined : eq(consents.userId, userId),
        clientId === undefined ? undefined : eq(consents.clientId, clientId),
      ),
    )
    .orderBy(desc(consents.grantedAt));
}

/** Stores a consent in place of the user's former one for the client. */
export async function saveConsent(store: Store, consent: Consent): Promise<void> {
  const { consents } = store.t;
  const { scopes, claims, grantedAt } = consent;
  await store.q
    .insert(consents)
    .values(consent)
    .onConflictDoUpdate({ target: [consents.userId, consents.clientId], set: { scopes, claims, grantedAt } });
}

/** Removes the consent of the user for the client. Returns false if there was none. */
export async function removeConsent(store: Store, userId: string, clientId: string): Promise<boolean> {
  if (cannotBeStored(clientId)) return false;
  const { consents } = store.t;
  const removed = await store.q
    .delete(consents)
    .where(and(eq(consents.userId, userId), eq(consents.clientId, clientId)))
    .returning({ userId: consents.userId });
  return removed.length === 1;
}
