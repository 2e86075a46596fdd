import { eq } from "drizzle-orm";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Media type and hash of a logo. The hash is part of the logo's URL, so that browsers may keep it. */
export type LogoVersion = { mediaType: string; hash: string };

/** A logo with its content. */
export type StoredLogo = LogoVersion & { content: Buffer };

/** Stores the logo of a client in place of the former one. */
export async function saveClientLogo(
  store: Store,
  clientId: string,
  { mediaType, hash, content }: StoredLogo,
): Promise<void> {
  const { clientLogos } = store.t;
  const row = { mediaType, contentHash: hash, contentBase64: content.toString("base64") };
  await store.q
    .insert(clientLogos)
    .values({ clientId, ...row })
    .onConflictDoUpdate({ target: clientLogos.clientId, set: row });
}

/** Removes the logo of a client, if it has one. */
export async function removeClientLogo(store: Store, clientId: string): Promise<void> {
  const { clientLogos } = store.t;
  await store.q.delete(clientLogos).where(eq(clientLogos.clientId, clientId));
}

/** Returns the logo of a client; null if it has none. */
export async function findClientLogo(store: Store, clientId: string): Promise<StoredLogo | null> {
  if (cannotBeStored(clientId)) return null;
  const { clientLogos } = store.t;
  const [row] = await store.q.select().from(clientLogos).where(eq(clientLogos.clientId, clientId));
  if (!row) return null;
  return { mediaType: row.mediaType, hash: row.contentHash, content: Buffer.from(row.contentBase64, "base64") };
}

/** Returns the logos of all clients that have one, without their content, by client_id. */
export async function listLogoVersions(store: Store): Promise<Map<string, LogoVersion>> {
  const { clientLogos: logos } = store.t;
  const rows = await store.q
    .select({ clientId: logos.clientId, mediaType: logos.mediaType, hash: logos.contentHash })
    .from(logos);
  return new Map(rows.map(({ clientId, ...version }) => [clientId, version]));
}
