import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type ClientUser, listUsersWithGrants } from "#app/db/repositories/client-access.server.ts";
import { removeClient as removeClientRow } from "#app/db/repositories/clients.server.ts";
import { removeRecordsOfClient } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { BATCH, endAccessToClients, PAUSE_MS } from "#app/domain/application-access/end-lost-access.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { Clock } from "#app/ports.ts";
import { getClient } from "./show.server.ts";

/**
 * Removes a client with its codes, tokens, grants and consents, and queues the back-channel logouts of its users, which
 * are delivered although the client is gone. Throws DomainError "client not found".
 */
export async function removeClient(
  context: { store: Store; clock: Clock; log: Logger },
  clientId: string,
): Promise<void> {
  await getClient(context.store, clientId);
  await endMostAccess(context, clientId);
  await context.store.tx(async (tx) => {
    const deps = { ...context, store: tx };
    await endAccessToClients(deps, await usersOf(tx, clientId));
    await removeClientRow(tx, clientId);
    await removeRecordsOfClient(tx, clientId);
    await recordEvent(deps, { type: "client.removed", outcome: "ok", clientId });
  });
}

/**
 * Ends the access of all but the last 500 users before the removal, in transactions of 500 users, so that sign-ins do not
 * wait for one that ends thousands of sessions. The transaction of the removal ends what is issued meanwhile.
 */
async function endMostAccess({ store, clock }: { store: Store; clock: Clock }, clientId: string): Promise<void> {
  const ending = await usersOf(store, clientId);
  for (let start = BATCH; start < ending.length; start += BATCH) {
    await store.tx((tx) => endAccessToClients({ store: tx, clock }, ending.slice(start, start + BATCH)));
    await sleep(PAUSE_MS);
  }
}

async function usersOf(store: Store, clientId: string): Promise<ClientUser[]> {
  return (await listUsersWithGrants(store, clientId)).map((userId) => ({ userId, clientId }));
}
