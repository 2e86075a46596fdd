import type { Logger } from "pino";
import { removeClient as removeClientRow } from "#app/db/repositories/clients.server.ts";
import { removeRecordsOfClient } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { Clock } from "#app/ports.ts";
import { getClient } from "./show.server.ts";

/** Removes a client with its codes, tokens, grants and consents. Throws DomainError "client not found". */
export async function removeClient(
  context: { store: Store; clock: Clock; log: Logger },
  clientId: string,
): Promise<void> {
  await getClient(context.store, clientId);
  await context.store.tx(async (tx) => {
    await removeClientRow(tx, clientId);
    await removeRecordsOfClient(tx, clientId);
    await recordEvent({ ...context, store: tx }, { type: "client.removed", outcome: "ok", clientId });
  });
}
