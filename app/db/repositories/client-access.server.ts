import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { Client, Group } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { MAY_USE_CLIENT } from "./group-members.server.ts";
import { RECORDS_OF_GRANTS } from "./oidc-records.server.ts";

/** A user who has signed in to a client. */
export type ClientUser = { clientId: string; userId: string };

const mayUseStatement = prepared(({ q, t: { clients, users } }) =>
  q
    .select({ mayUse: MAY_USE_CLIENT })
    .from(clients)
    .innerJoin(users, eq(users.id, sql.placeholder("userId")))
    .where(eq(clients.id, sql.placeholder("clientId")))
    .prepare(),
);

/** Returns true if the user and the client exist, and the user may use the client. The user's status does not count. */
export async function mayUse(store: Store, { clientId, userId }: ClientUser): Promise<boolean> {
  if (cannotBeStored(clientId) || cannotBeStored(userId)) return false;
  const [row] = await mayUseStatement(store).execute({ clientId, userId });
  return row?.mayUse ?? false;
}

/** Returns the clients that the user may use, ordered by name. */
export async function listUsableClients(store: Store, userId: string): Promise<Client[]> {
  const { clients, users } = store.t;
  const rows = await store.q
    .select({ client: clients })
    .from(clients)
    .innerJoin(users, eq(users.id, userId))
    .where(MAY_USE_CLIENT)
    .orderBy(asc(clients.name), asc(clients.id));
  return rows.map(({ client }) => client);
}

/** Returns the groups whose members may use the client, by name. */
export async function listGroupsOfClient(store: Store, clientId: string): Promise<Group[]> {
  const { groups, clientGroups } = store.t;
  const rows = await store.q
    .select({ group: groups })
    .from(clientGroups)
    .innerJoin(groups, eq(groups.id, clientGroups.groupId))
    .where(eq(clientGroups.clientId, clientId))
    .orderBy(asc(groups.name));
  return rows.map(({ group }) => group);
}

/** Returns the names of the groups whose members may use a client, by client_id and ordered; of all clients. */
export async function listGroupNamesOfClients(store: Store): Promise<Map<string, string[]>> {
  const { groups, clientGroups } = store.t;
  const rows = await store.q
    .select({ clientId: clientGroups.clientId, name: groups.name })
    .from(clientGroups)
    .innerJoin(groups, eq(groups.id, clientGroups.groupId))
    .orderBy(asc(groups.name));
  const names = new Map<string, string[]>();
  for (const { clientId, name } of rows) names.set(clientId, [...(names.get(clientId) ?? []), name]);
  return names;
}

/** Returns the users who have a grant, code or token of the client. */
export async function listUsersWithGrants(store: Store, clientId: string): Promise<string[]> {
  const { oidcRecords } = store.t;
  const rows = await store.q
    .selectDistinct({ userId: oidcRecords.accountId })
    .from(oidcRecords)
    .where(and(inArray(oidcRecords.model, [...RECORDS_OF_GRANTS]), eq(oidcRecords.clientId, clientId)));
  return rows.flatMap(({ userId }) => userId ?? []);
}

/** Returns the clients that members of the group may use, by name. */
export async function listClientsOfGroup(store: Store, groupId: string): Promise<Client[]> {
  const { clients, clientGroups } = store.t;
  const rows = await store.q
    .select({ client: clients })
    .from(clientGroups)
    .innerJoin(clients, eq(clients.id, clientGroups.clientId))
    .where(eq(clientGroups.groupId, groupId))
    .orderBy(asc(clients.name));
  return rows.map(({ client }) => client);
}

/** Counts the clients that members of each group may use, by the group's id; no entry for a group without any. */
export async function countClientsOfGroups(store: Store): Promise<Map<string, number>> {
  const { clientGroups } = store.t;
  const rows = await store.q
    .select({ id: clientGroups.groupId, count: sql<number>`count(*)`.mapWith(Number) })
    .from(clientGroups)
    .groupBy(clientGroups.groupId);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Replaces the groups of a client. Call it in a transaction. */
export async function replaceGroupsOfClient(
  store: Store,
  clientId: string,
  groupIds: readonly string[],
): Promise<void> {
  const { clientGroups } = store.t;
  await store.q.delete(clientGroups).where(eq(clientGroups.clientId, clientId));
  if (groupIds.length === 0) return;
  await store.q.insert(clientGroups).values(groupIds.map((groupId) => ({ clientId, groupId })));
}

/**
 * Returns the users who have a grant, code or token of a client that they may not use now. With `userId` or `clientId`,
 * only of this user or client.
 */
export async function listLostAccess(store: Store, of: Partial<ClientUser>): Promise<ClientUser[]> {
  const { oidcRecords, users, clients } = store.t;
  return store.q
    .selectDistinct({ clientId: clients.id, userId: users.id })
    .from(oidcRecords)
    .innerJoin(clients, eq(clients.id, oidcRecords.clientId))
    .innerJoin(users, eq(users.id, oidcRecords.accountId))
    .where(
      and(
        inArray(oidcRecords.model, [...RECORDS_OF_GRANTS]),
        of.userId === undefined ? undefined : eq(oidcRecords.accountId, of.userId),
        of.clientId === undefined ? undefined : eq(oidcRecords.clientId, of.clientId),
        sql`not ${MAY_USE_CLIENT}`,
      ),
    );
}
