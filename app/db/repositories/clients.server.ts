import { and, asc, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored, getOnly } from "#app/db/rows.server.ts";
import type { Client, NewClient } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SealedSecret } from "#app/ports.ts";

/** Adds a client. An existing client_id is a unique violation (`store.isUnique`). */
export async function createClient(store: Store, client: NewClient): Promise<Client> {
  return getOnly(await store.q.insert(store.t.clients).values(client).returning());
}

const byIdStatement = prepared(({ q, t: { clients } }) =>
  q
    .select()
    .from(clients)
    .where(eq(clients.id, sql.placeholder("id")))
    .prepare(),
);

/** Returns the client with this client_id. */
export async function findClient(store: Store, id: string): Promise<Client | null> {
  if (cannotBeStored(id)) return null;
  const [client] = await byIdStatement(store).execute({ id });
  return client ?? null;
}

/** Returns all clients, ordered by client_id. */
export async function listClients(store: Store): Promise<Client[]> {
  return store.q.select().from(store.t.clients).orderBy(asc(store.t.clients.id));
}

/** The columns that can be changed; id, type and secret stay. */
export type ClientUpdate = Partial<Omit<NewClient, "id" | "public" | "sealedSecret" | "createdAt" | "updatedAt">>;

/** Changes a client; returns null if it does not exist. */
export async function updateClient(store: Store, id: string, changes: ClientUpdate, now: Date): Promise<Client | null> {
  const { clients } = store.t;
  const [client] = await store.q
    .update(clients)
    .set({ ...changes, updatedAt: now })
    .where(eq(clients.id, id))
    .returning();
  return client ?? null;
}

/** Returns the names of these clients by client_id, without clients that do not exist. */
export async function findClientNames(store: Store, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { clients } = store.t;
  const rows = await store.q
    .select({ id: clients.id, name: clients.name })
    .from(clients)
    .where(inArray(clients.id, [...ids]));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Replaces the client secret; the old one stops working at once. Returns false if the client does not exist. */
export async function updateClientSecret(
  store: Store,
  id: string,
  sealedSecret: SealedSecret,
  now: Date,
): Promise<boolean> {
  const { clients } = store.t;
  const changed = await store.q
    .update(clients)
    .set({ sealedSecret, updatedAt: now })
    .where(eq(clients.id, id))
    .returning({ id: clients.id });
  return changed.length === 1;
}

/**
 * Removes the client and its consents. Logouts that wait for delivery keep the client's URI and algorithm, and are still
 * delivered. Call it in a transaction. Returns false if the client does not exist.
 */
export async function removeClient(store: Store, id: string): Promise<boolean> {
  const { clients, backchannelLogouts: logouts } = store.t;
  const [client] = await store.q
    .delete(clients)
    .where(eq(clients.id, id))
    .returning({ backchannelLogoutUri: clients.backchannelLogoutUri, idTokenAlg: clients.idTokenAlg });
  if (!client) return false;
  const { backchannelLogoutUri, idTokenAlg } = client;
  if (backchannelLogoutUri !== null) {
    await store.q
      .update(logouts)
      .set({ removedClient: { backchannelLogoutUri, idTokenAlg } })
      .where(and(eq(logouts.clientId, id), isNotNull(logouts.nextAttemptAt)));
  }
  return true;
}
