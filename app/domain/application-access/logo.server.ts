import { findClientLogo, type StoredLogo } from "#app/db/repositories/client-logos.server.ts";
import type { Store } from "#app/db/store.server.ts";

/**
 * Returns the logo of an application: a file that was checked as LOGO_FILE is when it was stored. Null unless `contentHash` is the hash of its current logo, so that the client_ids
 * of an installation cannot be tried out.
 */
export async function findLogo(
  { store }: { store: Store },
  { clientId, contentHash }: { clientId: string; contentHash: string },
): Promise<StoredLogo | null> {
  const found = await findClientLogo(store, clientId);
  return found?.hash === contentHash ? found : null;
}
