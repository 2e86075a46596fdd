import { findClient, listClients as listClientRows } from "#app/db/repositories/clients.server.ts";
import type { Client } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";

/** A client without its secret, for administrators. */
export type ClientView = Omit<Client, "sealedSecret">;

/** Returns a client without its secret. Throws DomainError "client not found". */
export async function showClient({ store }: { store: Store }, clientId: string): Promise<ClientView> {
  return viewOf(await getClient(store, clientId));
}

/** Lists all clients, sorted by id. */
export async function listClients({ store }: { store: Store }): Promise<ClientView[]> {
  return (await listClientRows(store)).map(viewOf);
}

/** Returns the client row. Throws DomainError "client not found". */
export async function getClient(store: Store, clientId: string): Promise<Client> {
  const client = await findClient(store, clientId);
  if (!client) throw new DomainError("client not found", { detail: printable(clientId) });
  return client;
}

function viewOf({ sealedSecret: _, ...view }: Client): ClientView {
  return view;
}
