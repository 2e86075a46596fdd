import type { BaseContext } from "#app/context.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import { addClient, type ClientCredentials } from "#app/domain/client/add.server.ts";
import type { NewClientInput } from "#app/domain/client/new-client.ts";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { rotateClientSecret } from "#app/domain/client/rotate-secret.server.ts";
import { type ClientView, listClients } from "#app/domain/client/show.server.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { listGroups } from "#app/domain/group/list.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { DEMO_PEOPLE } from "./demo-accounts.server.ts";

const CLIENT_ID = "broker-desk";

/** Two scopes of modules, so that the question for consent has something to show. */
const SCOPES = ["openid", "profile", "email", "offline", "offline_access", "reports", "tasks"];

/** Where the demo application is. */
export type DemoClientUris = {
  url: string;
  redirectUri: string;
  postLogoutRedirectUri: string;
  registrationUrl: string;
  settingsReturnUri: string;
};

/** Puts the demo's groups and people into the database, and sees to it that the printed passwords are theirs. */
export async function ensureDemoPeople(context: BaseContext, passwords: ReadonlyMap<string, string>): Promise<void> {
  const groups = await listGroups(context);
  for (const office of new Set(DEMO_PEOPLE.map((person) => person.office))) {
    if (!groups.some(({ name }) => name === office)) await addGroup(context, { name: office });
  }
  for (const person of DEMO_PEOPLE) {
    const password = passwords.get(person.username) ?? "";
    const user = await findUserByUsername(context.store, person.username);
    if (!user) await addPerson(context, person, password);
    else if (!(await context.hasher.verify(user.passwordHash, password)).ok) {
      await setUserPassword(context, person.username, password);
    }
  }
}

async function addPerson(
  context: BaseContext,
  { office, ...person }: (typeof DEMO_PEOPLE)[number],
  password: string,
): Promise<void> {
  await addUser(context, {
    ...person,
    permissions: [...person.permissions],
    email: `${person.username}@nordlicht.example`,
    groupName: office,
    locale: "de",
    password,
  });
}

/**
 * Registers the demo application. Its secret is drawn anew at each start and kept in memory only; the consents given to
 * it stay, unless its addresses changed.
 */
export async function ensureDemoClient(context: BaseContext, uris: DemoClientUris): Promise<ClientCredentials> {
  const wanted = {
    id: CLIENT_ID,
    name: "Broker Desk",
    redirectUris: [uris.redirectUri],
    postLogoutRedirectUris: [uris.postLogoutRedirectUri],
    scopes: SCOPES,
    clientUri: uris.url,
    registrationUrl: uris.registrationUrl,
    regHints: ["email", "name"],
    mayOpenSettings: true,
    settingsReturnUris: [uris.settingsReturnUri],
  };
  const registered = (await listClients(context)).find(({ id }) => id === CLIENT_ID);
  if (registered && isAsWanted(registered, wanted)) return rotateClientSecret(context, CLIENT_ID);
  if (registered) await removeClient(context, CLIENT_ID);
  return addClient(context, wanted);
}

function isAsWanted(client: ClientView, wanted: NewClientInput): boolean {
  const registered = Object.entries(client).filter(([name]) => Object.hasOwn(wanted, name));
  const sorted = (entries: [string, unknown][]) => entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted(registered)) === JSON.stringify(sorted(Object.entries(wanted)));
}
