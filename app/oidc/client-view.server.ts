import { findClient } from "#app/db/repositories/clients.server.ts";
import type { Client } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { SETTINGS_CLIENT_ID, SETTINGS_OPEN_PATH } from "./own-client.server.ts";

/** What pages show of an application. `uri` is its home page, `host` the host people will end up at. */
export type ClientView = {
  id: string;
  name: string;
  uri: string | null;
  host: string | null;
  policyUri: string | null;
  initiateLoginUri: string | null;
  firstParty: boolean;
  scopes: string[];
  /** Where it registers people; null: it does not. */
  registrationUrl: string | null;
  /** Keys of what it wants to know of them. */
  regHints: string[];
};

/** The login settings as pages show an application: nothing, for one does not leave for another place. */
const SETTINGS_CLIENT_VIEW: ClientView = {
  id: SETTINGS_CLIENT_ID,
  // Never shown (clientLabel).
  name: "",
  uri: null,
  host: null,
  policyUri: null,
  initiateLoginUri: SETTINGS_OPEN_PATH,
  firstParty: true,
  scopes: ["openid"],
  registrationUrl: null,
  regHints: [],
};

/** The application with this id for a page, or null. */
export async function findClientView(store: Store, clientId: unknown): Promise<ClientView | null> {
  if (typeof clientId !== "string") return null;
  if (clientId === SETTINGS_CLIENT_ID) return SETTINGS_CLIENT_VIEW;
  const client = await findClient(store, clientId);
  return client ? view(client) : null;
}

function view(client: Client): ClientView {
  return {
    id: client.id,
    name: client.name,
    uri: client.clientUri,
    host: client.clientUri ? new URL(client.clientUri).host : null,
    policyUri: client.policyUri,
    initiateLoginUri: client.initiateLoginUri,
    firstParty: client.firstParty,
    scopes: client.scopes,
    registrationUrl: client.registrationUrl,
    regHints: client.regHints,
  };
}
