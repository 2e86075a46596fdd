import { findClientLogo } from "#app/db/repositories/client-logos.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** The logo of an application: a file that was checked when it was stored. */
export type ApplicationLogo = { mediaType: string; content: Uint8Array };

/**
 * Returns the logo of an application. Null unless `contentHash` is the hash of its current logo, so that the client_ids
 * of an installation cannot be tried out.
 */
export async function findLogo(
  { store }: { store: Store },
  logo: { clientId: string; contentHash: string },
): Promise<ApplicationLogo | null> {
  const found = await findClientLogo(store, logo);
  return found && { mediaType: found.mediaType, content: Buffer.from(found.contentBase64, "base64") };
}
