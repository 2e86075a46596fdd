import { and, eq, inArray } from "drizzle-orm";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { ClientLogo } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Returns the logo of a client if it still has this hash. */
export async function findClientLogo(
  store: Store,
  { clientId, contentHash }: { clientId: string; contentHash: string },
): Promise<ClientLogo | null> {
  if (cannotBeStored(clientId) || cannotBeStored(contentHash)) return null;
  const { clientLogos } = store.t;
  const [logo] = await store.q
    .select()
    .from(clientLogos)
    .where(and(eq(clientLogos.clientId, clientId), eq(clientLogos.contentHash, contentHash)));
  return logo ?? null;
}

/** Returns the hashes of the logos of these clients by client_id, without clients that have no logo. */
export async function findLogoHashes(store: Store, clientIds: readonly string[]): Promise<Map<string, string>> {
  if (clientIds.length === 0) return new Map();
  const { clientLogos } = store.t;
  const rows = await store.q
    .select({ id: clientLogos.clientId, hash: clientLogos.contentHash })
    .from(clientLogos)
    .where(inArray(clientLogos.clientId, [...clientIds]));
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}
