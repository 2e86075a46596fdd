import { type ClientUser, listUsableClients, mayUse } from "#app/db/repositories/client-access.server.ts";
import { listLogoVersions } from "#app/db/repositories/client-logos.server.ts";
import type { Client } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/**
 * An application that a user may use. `initiateLoginUri`: starts a sign-in; `homeUri`: its home page; null if not
 * registered. `logoHash`: part of the logo's URL, null without a logo.
 */
export type UsableApplication = {
  id: string;
  name: string;
  initiateLoginUri: string | null;
  homeUri: string | null;
  logoHash: string | null;
};

/**
 * Lists the applications that the user may use, by two statements, in no particular order. Resource servers, which sign
 * no users in, are left out.
 */
export async function listApplications({ store }: { store: Store }, userId: string): Promise<UsableApplication[]> {
  const clients = (await listUsableClients(store, userId)).filter(({ redirectUris }) => redirectUris.length > 0);
  const logos = await listLogoVersions(store);
  return clients.map((client) => view(client, logos.get(client.id)?.hash ?? null));
}

/** Returns true if the user may use the application now; false if one of both does not exist. */
export function mayUseApplication({ store }: { store: Store }, of: ClientUser): Promise<boolean> {
  return mayUse(store, of);
}

function view({ id, name, initiateLoginUri, clientUri }: Client, logoHash: string | null): UsableApplication {
  return { id, name, initiateLoginUri: webUri(initiateLoginUri), homeUri: webUri(clientUri), logoHash };
}

/** Returns the URI if a browser may open it as a web page; null for any other scheme, which no command registers. */
function webUri(uri: string | null): string | null {
  return uri !== null && URL.canParse(uri) && /^https?:$/.test(new URL(uri).protocol) ? uri : null;
}
