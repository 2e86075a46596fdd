import { describe, expect, test } from "vitest";
import {
  createClient,
  findClient,
  listClients,
  removeClient,
  updateClientSecret,
} from "#app/db/repositories/clients.server.ts";
import { findConsent, listStoredConsents, removeConsent, saveConsent } from "#app/db/repositories/consents.server.ts";
import { rememberBrowser, removeKnownBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import type { NewClient } from "#app/db/schema.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { findKnownBrowser } from "#tests/unit/db/known-browser.ts";
import { at, now, sealed, storedUser } from "./rows.ts";

function client(id: string, fields: Partial<NewClient> = {}): NewClient {
  return { id, name: id, authMethod: "client_secret_basic", createdAt: now, updatedAt: now, ...fields };
}

describe.each(dialects)("clients, consents and browsers on %s", (dialect) => {
  test("a client with few settings gets the strictest defaults", async () => {
    const store = await withStore(dialect);
    expect(await createClient(store, client("suite"))).toEqual({
      ...client("suite"),
      redirectUris: [],
      postLogoutRedirectUris: [],
      scopes: [],
      firstParty: false,
      access: "everyone",
      requireMfa: false,
      public: false,
      requirePkce: true,
      idTokenAlg: "RS256",
      confirmAccount: false,
      mayOpenSettings: false,
      settingsReturnUris: [],
      registrationUrl: null,
      regHints: [],
      mayIntrospect: false,
      refreshLeeway: false,
      backchannelLogoutUri: null,
      initiateLoginUri: null,
      clientUri: null,
      policyUri: null,
      responseModes: null,
      sealedSecret: null,
    });
  });

  test("a client is read as stored and listed by its id", async () => {
    const store = await withStore(dialect);
    const suite = await createClient(
      store,
      client("suite", { redirectUris: ["https://a.example/cb"], responseModes: ["query"], firstParty: true }),
    );
    await createClient(store, client("app"));
    expect(await findClient(store, "suite")).toEqual(suite);
    expect(await findClient(store, "su\0ite")).toBeNull();
    expect((await listClients(store)).map((row) => row.id)).toEqual(["app", "suite"]);
    const again = await createClient(store, client("suite")).catch((thrown: unknown) => thrown);
    expect(store.isUnique(again)).toBe(true);
  });

  test("a new secret replaces the old one", async () => {
    const store = await withStore(dialect);
    await createClient(store, client("suite", { sealedSecret: sealed("old") }));
    expect(await updateClientSecret(store, "suite", sealed("new"), at(1))).toBe(true);
    expect(await findClient(store, "suite")).toMatchObject({ sealedSecret: "new", updatedAt: at(1) });
    expect(await updateClientSecret(store, "nobody", sealed("new"), at(1))).toBe(false);
  });

  test("a consent is replaced by the next one, and removed with the client", async () => {
    const store = await withStore(dialect);
    await createClient(store, client("suite"));
    const { id: userId } = await storedUser(store, "Anna");
    const consent = { userId, clientId: "suite", scopes: ["openid"], claims: [], grantedAt: now };
    await saveConsent(store, consent);
    const wider = { ...consent, scopes: ["openid", "email"], claims: ["name"], grantedAt: at(1) };
    await Promise.all(Array.from({ length: 5 }, () => saveConsent(store, wider)));
    expect(await findConsent(store, userId, "suite")).toEqual(wider);
    expect(await removeClient(store, "suite")).toBe(true);
    expect(await removeClient(store, "suite")).toBe(false);
    expect(await findConsent(store, userId, "suite")).toBeNull();
  });

  test("consents are listed by user, by client or by both, newest first, with the names", async () => {
    const store = await withStore(dialect);
    for (const id of ["suite", "mail"]) await createClient(store, client(id, { name: `Name of ${id}` }));
    for (const name of ["Anna", "Berta"]) {
      const { id: userId } = await storedUser(store, name);
      for (const [index, clientId] of ["suite", "mail"].entries())
        await saveConsent(store, { userId, clientId, scopes: ["openid"], claims: [], grantedAt: at(index) });
    }
    const userId = "id of anna";
    const ofAnna = await listStoredConsents(store, { userId });
    expect(ofAnna.map(({ username, name, grantedAt }) => [username, name, grantedAt])).toEqual([
      ["Anna", "Name of mail", at(1)],
      ["Anna", "Name of suite", at(0)],
    ]);
    expect(await listStoredConsents(store, { clientId: "suite" })).toHaveLength(2);
    expect(await listStoredConsents(store, { userId, clientId: "suite" })).toEqual([
      { userId, clientId: "suite", scopes: ["openid"], grantedAt: now, username: "Anna", name: "Name of suite" },
    ]);
    expect(await listStoredConsents(store, { userId: "nobody" })).toEqual([]);
  });

  test("a consent can be withdrawn once", async () => {
    const store = await withStore(dialect);
    await createClient(store, client("suite"));
    const { id: userId } = await storedUser(store, "Anna");
    await saveConsent(store, { userId, clientId: "suite", scopes: [], claims: [], grantedAt: now });
    expect(await removeConsent(store, userId, "suite")).toBe(true);
    expect(await removeConsent(store, userId, "suite")).toBe(false);
  });

  test("a browser is known to one user, since its first sign-in", async () => {
    const store = await withStore(dialect);
    const { id: userId } = await storedUser(store, "Anna");
    await storedUser(store, "Bert");
    expect(await findKnownBrowser(store, userId, "b")).toBeNull();
    const first = await rememberBrowser(store, { userId, browserHash: "b", now });
    expect(first).toEqual({ userId, browserHash: "b", firstSeenAt: now, lastSeenAt: now });
    await Promise.all(
      Array.from({ length: 5 }, () => rememberBrowser(store, { userId, browserHash: "b", now: at(9) })),
    );
    expect(await findKnownBrowser(store, userId, "b")).toEqual({ ...first, lastSeenAt: at(9) });
    expect(await findKnownBrowser(store, "id of bert", "b")).toBeNull();
    await removeKnownBrowsers(store, userId);
    expect(await findKnownBrowser(store, userId, "b")).toBeNull();
  });
});
