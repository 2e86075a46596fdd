import type { BaseContext } from "#app/context.server.ts";
import {
  addExternalAccount,
  findExternalAccountsOfUser,
  removeExternalAccount,
} from "#app/db/repositories/external-accounts.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { addClient, type ClientCredentials } from "#app/domain/client/add.server.ts";
import type { NewClientInput } from "#app/domain/client/new-client.ts";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { rotateClientSecret } from "#app/domain/client/rotate-secret.server.ts";
import { type ClientView, listClients } from "#app/domain/client/show.server.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { listGroups } from "#app/domain/group/list.server.ts";
import { grantRole } from "#app/domain/role/grant.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { FAKE_PROVIDER_CONNECTIONS, FAKE_PROVIDER_USERS } from "#demo/fake-provider/users.ts";

/** Users of the demo. */
export const DEMO_USERS = [
  {
    username: "anna.berger",
    displayName: "Anna Berger",
    phone: "+49 40 5550101",
    permissions: ["contracts", "reports"],
    groupName: "Nordlicht Makler",
  },
  {
    username: "anna.berger.alpen",
    displayName: "Anna Berger",
    phone: null,
    permissions: [],
    groupName: "Alpenblick Makler",
  },
  {
    username: "bernd.vogel",
    displayName: "Bernd Vogel",
    phone: "+49 40 5550102",
    permissions: ["contracts"],
    groupName: "Nordlicht Makler",
  },
  {
    username: "carla.winter",
    displayName: "Carla Winter",
    phone: null,
    permissions: [],
    groupName: "Nordlicht Makler",
  },
] as const;

/** User name of the demo's administrator. */
export const DEMO_ADMINISTRATOR = "carla.winter";

/** Adds missing groups, users and the role of the demo, and sets changed passwords back to the printed ones. */
export async function ensureDemoUsers(context: BaseContext, passwords: ReadonlyMap<string, string>): Promise<void> {
  const groups = await listGroups(context);
  for (const groupName of new Set(DEMO_USERS.map((user) => user.groupName))) {
    if (!groups.some(({ name }) => name === groupName)) await addGroup(context, { name: groupName });
  }
  for (const { permissions, ...input } of DEMO_USERS) {
    const { username } = input;
    const password = passwords.get(username) ?? "";
    const user = await findUserByUsername(context.store, username);
    if (!user) {
      const email = `${username}@nordlicht.example`;
      await addUser(context, { ...input, permissions: [...permissions], email, locale: "de", password });
    } else if (!(await context.hasher.verify(user.passwordHash, password)).ok) {
      await setUserPassword(context, username, password);
    }
  }
  await context.store.tx(async (store) => {
    const user = await findUserByUsername(store, DEMO_ADMINISTRATOR);
    if (user) await grantRole({ ...context, store }, user, { role: "administrator", office: null });
  });
}

/** Connects the demo's users with their accounts at the fake providers; replaces connections to other issuers. */
export async function ensureDemoConnections(
  { store, random, clock }: BaseContext,
  issuers: Readonly<Record<keyof typeof FAKE_PROVIDER_USERS, string>>,
): Promise<void> {
  for (const { provider, sub: subject, username } of FAKE_PROVIDER_CONNECTIONS) {
    const user = await findUserByUsername(store, username);
    if (!user) continue;
    const issuer = issuers[provider];
    const accounts = await findExternalAccountsOfUser(store, user.id);
    const existing = accounts.find((account) => account.provider === provider);
    if (existing?.issuer === issuer) continue;
    if (existing) await removeExternalAccount(store, user.id, provider);
    const name = FAKE_PROVIDER_USERS[provider].find(({ sub }) => sub === subject)?.email ?? null;
    const account = { id: newId(random), userId: user.id, provider, issuer, subject, name };
    await addExternalAccount(store, { ...account, groupKey: user.groupId ?? "", linkedAt: clock.now() });
  }
}

const CLIENT_ID = "broker-desk";

/** Includes two scopes of the suite, so that the consent page lists them. */
const SCOPES = ["openid", "profile", "email", "offline", "offline_access", "reports", "tasks"];

/** URLs of the demo application. */
export type DemoClientUris = {
  url: string;
  redirectUri: string;
  postLogoutRedirectUri: string;
  registrationUrl: string;
  settingsReturnUri: string;
};

/**
 * Registers the demo application. Its secret is rotated at each start and kept in memory only. Existing consents remain,
 * unless the registration changed.
 */
export async function ensureDemoClient(context: BaseContext, uris: DemoClientUris): Promise<ClientCredentials> {
  const expected = {
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
  if (registered && isEqual(registered, expected)) return rotateClientSecret(context, CLIENT_ID);
  if (registered) await removeClient(context, CLIENT_ID);
  return addClient(context, expected);
}

/** Compares the properties that `expected` has. */
function isEqual(client: ClientView, expected: NewClientInput): boolean {
  const registered = Object.entries(client).filter(([name]) => Object.hasOwn(expected, name));
  const sorted = (entries: [string, unknown][]) => entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted(registered)) === JSON.stringify(sorted(Object.entries(expected)));
}
