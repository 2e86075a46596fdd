import { listGroupNamesOfClients, listGroupsOfClient } from "#app/db/repositories/client-access.server.ts";
import { type LogoVersion, listLogoVersions } from "#app/db/repositories/client-logos.server.ts";
import { findClient, listClients as listClientRows } from "#app/db/repositories/clients.server.ts";
import type { Client } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";

/** A client without its secret, for administrators. `groups`: names of the groups whose members may use it. */
export type ClientView = Omit<Client, "sealedSecret"> & { groups: string[]; logo: LogoVersion | null };

/** Returns a client without its secret. Throws DomainError "client not found". */
export async function showClient({ store }: { store: Store }, clientId: string): Promise<ClientView> {
  const client = await getClient(store, clientId);
  const groups = await listGroupsOfClient(store, clientId);
  const logos = await listLogoVersions(store);
  const names = groups.map(({ name }) => name);
  return viewOf(client, names, logos.get(clientId) ?? null);
}

/** Lists all clients, sorted by id. */
export async function listClients({ store }: { store: Store }): Promise<ClientView[]> {
  const groups = await listGroupNamesOfClients(store);
  const logos = await listLogoVersions(store);
  const clients = await listClientRows(store);
  return clients.map((client) => viewOf(client, groups.get(client.id) ?? [], logos.get(client.id) ?? null));
}

/** Returns the client row. Throws DomainError "client not found". */
export async function getClient(store: Store, clientId: string): Promise<Client> {
  const client = await findClient(store, clientId);
  if (!client) throw new DomainError("client not found", { detail: printable(clientId) });
  return client;
}

function viewOf({ sealedSecret: _, ...view }: Client, groups: string[], logo: LogoVersion | null): ClientView {
  return { ...view, groups, logo };
}
