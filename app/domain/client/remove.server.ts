import type { Logger } from "pino";
import { listUsersWithGrants } from "#app/db/repositories/client-access.server.ts";
import { removeClient as removeClientRow } from "#app/db/repositories/clients.server.ts";
import { removeSettingsOfClient } from "#app/db/repositories/manage-generation.server.ts";
import { removeRecordsOfClient } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { endAccessToClients } from "#app/domain/application-access/end-lost-access.server.ts";
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
  await context.store.tx(async (tx) => {
    const deps = { ...context, store: tx };
    const userIds = await listUsersWithGrants(tx, clientId);
    await endAccessToClients(
      deps,
      userIds.map((userId) => ({ userId, clientId })),
    );
    await removeClientRow(tx, clientId);
    await removeRecordsOfClient(tx, clientId);
    await removeSettingsOfClient(tx, clientId);
    await recordEvent(deps, { type: "client.removed", outcome: "ok", clientId });
  });
}
