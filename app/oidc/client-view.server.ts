import { findClient } from "#app/db/repositories/clients.server.ts";
import type { Client } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { SETTINGS_CLIENT_ID, SETTINGS_OPEN_PATH } from "./settings-client.server.ts";

/** Client data for pages. `uri` is the home page, `host` its host. */
export type ClientView = {
  id: string;
  name: string;
  uri: string | null;
  host: string | null;
  policyUri: string | null;
  initiateLoginUri: string | null;
  firstParty: boolean;
  /** True if each user needs a second factor to use it. */
  requireMfa: boolean;
  scopes: string[];
  /** Registration page of the client; null if it has none. */
  registrationUrl: string | null;
  /** Keys of the registration hints that the client declares. */
  regHints: string[];
};

/** Data of the settings client. Without URI, because the user does not leave this server. */
const SETTINGS_CLIENT_VIEW: ClientView = {
  id: SETTINGS_CLIENT_ID,
  // Not displayed (clientLabel).
  name: "",
  uri: null,
  host: null,
  policyUri: null,
  initiateLoginUri: SETTINGS_OPEN_PATH,
  firstParty: true,
  requireMfa: false,
  scopes: ["openid"],
  registrationUrl: null,
  regHints: [],
};

/** Finds the client with this id, or null. */
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
    requireMfa: client.requireMfa,
    scopes: client.scopes,
    registrationUrl: client.registrationUrl,
    regHints: client.regHints,
  };
}
