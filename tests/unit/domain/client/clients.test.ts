import { describe, expect, it } from "vitest";
import { findClientLogo, listLogoVersions } from "#app/db/repositories/client-logos.server.ts";
import { findClient } from "#app/db/repositories/clients.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type ErrorCode, hasCode } from "#app/domain/base/errors.ts";
import { addClient } from "#app/domain/client/add.server.ts";
import type { NewClientInput } from "#app/domain/client/new-client.ts";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { rotateClientSecret } from "#app/domain/client/rotate-secret.server.ts";
import { setClient } from "#app/domain/client/set.server.ts";
import { listClients, showClient } from "#app/domain/client/show.server.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { fixedClock, random, recordingLog } from "#tests/unit/domain/fixtures.ts";

const secrets = createSecrets({ secretKeys: ["k".repeat(32)], epoch: 1 });
const suite: NewClientInput = { id: "suite", name: "Work suite", redirectUris: ["https://app.example/callback"] };

function administration(store: Store) {
  const { log, lines } = recordingLog();
  return { context: { store, clock: fixedClock(), random, secrets, log }, lines };
}

function refusedWith(code: ErrorCode) {
  return (error: unknown) => hasCode(error, code);
}

async function storedSecret(store: Store, clientId: string): Promise<string | null> {
  const sealed = (await findClient(store, clientId))?.sealedSecret ?? null;
  return sealed && secrets.open("client-secret", sealed);
}

describe.each(dialects)("administering clients on %s", (dialect) => {
  it("a confidential client gets a secret that is stored sealed and returned once", async () => {
    const store = await withStore(dialect);
    const { context } = administration(store);
    const { clientId, clientSecret } = await addClient(context, suite);
    expect(clientId).toBe("suite");
    expect(clientSecret).toMatch(/^[\w-]{43}$/);
    expect((await findClient(store, clientId))?.sealedSecret).not.toContain(clientSecret);
    expect(await storedSecret(store, clientId)).toBe(clientSecret);
    const shown = await showClient(context, clientId);
    expect(JSON.stringify([shown, await listClients(context)])).not.toMatch(/sealedSecret|secret":/i);
    expect(shown).toMatchObject({
      scopes: ["openid", "profile", "email"],
      authMethod: "client_secret_basic",
      idTokenAlg: "RS256",
      requirePkce: true,
      public: false,
      firstParty: false,
    });
  });

  it("a rotated secret replaces the old one", async () => {
    const store = await withStore(dialect);
    const { context } = administration(store);
    const first = await addClient(context, suite);
    const second = await rotateClientSecret(context, "suite");
    expect(second.clientSecret).not.toBe(first.clientSecret);
    expect(await storedSecret(store, "suite")).toBe(second.clientSecret);
  });

  it("an existing id is refused, a removed one is available again", async () => {
    const store = await withStore(dialect);
    const { context } = administration(store);
    await addClient(context, suite);
    await expect(addClient(context, suite)).rejects.toSatisfy(refusedWith("client not available"));
    await removeClient(context, "suite");
    await expect(showClient(context, "suite")).rejects.toSatisfy(refusedWith("client not found"));
    await addClient(context, suite);
  });

  it("a logo is stored with its type and hash, and removed with the client", async () => {
    const store = await withStore(dialect);
    const { context } = administration(store);
    await addClient(context, suite);
    expect(await findClientLogo(store, "suite")).toBeNull();
    const content = Buffer.from([0x89, 0x00, 0xff, 0x0a]);
    await setClient(context, "suite", { logo: { type: "image/png", content, hash: "5f3a" } });
    expect(await findClientLogo(store, "suite")).toEqual({ mediaType: "image/png", hash: "5f3a", content });
    expect(await listLogoVersions(store)).toEqual(new Map([["suite", { mediaType: "image/png", hash: "5f3a" }]]));
    await setClient(context, "suite", { name: "Suite" });
    expect((await showClient(context, "suite")).logo).toEqual({ mediaType: "image/png", hash: "5f3a" });
    expect(await findClientLogo(store, "a\0b")).toBeNull();
    await removeClient(context, "suite");
    expect(await listLogoVersions(store)).toEqual(new Map());
  });

  it("a client is open to groups that exist", async () => {
    const store = await withStore(dialect);
    const { context } = administration(store);
    for (const name of ["North", "South"]) await addGroup(context, { name });
    await addClient(context, { ...suite, access: "groups", groups: ["South", "North", "South"] });
    const [listed] = await listClients(context);
    expect(listed).toMatchObject({ access: "groups", groups: ["North", "South"] });
    const unknown = { ...suite, id: "maps", access: "groups" as const, groups: ["Nord"] };
    await expect(addClient(context, unknown)).rejects.toSatisfy(refusedWith("group not found"));
    const changed = setClient(context, "suite", { allowGroups: ["Nord"] });
    await expect(changed).rejects.toSatisfy(refusedWith("group not found"));
    expect(await listClients(context)).toEqual([listed]);
  });

  it("a group of a client is found by its name in any Unicode form", async () => {
    const store = await withStore(dialect);
    const { context } = administration(store);
    const composed = "B\u00fcro S\u00fcd";
    const decomposed = "Bu\u0308ro Su\u0308d";
    for (const name of [composed, "North"]) await addGroup(context, { name });
    await addClient(context, { ...suite, access: "groups", groups: [decomposed, "North"] });
    expect((await showClient(context, "suite")).groups).toEqual([composed, "North"]);
    const changed = await setClient(context, "suite", { disallowGroups: [decomposed] });
    expect(changed.groups).toEqual(["North"]);
  });
});

describe("administering clients", () => {
  it("a public native application has no secret and may use its own scheme", async () => {
    const store = await withStore("sqlite");
    const { context } = administration(store);
    const redirectUris = ["com.example.app:/callback", "http://127.0.0.1/callback"];
    const { clientId, clientSecret } = await addClient(context, { name: "App", redirectUris, public: true });
    expect(clientSecret).toBeNull();
    expect(clientId).toMatch(/^[0-9a-f]{32}$/);
    expect(await showClient(context, clientId)).toMatchObject({ authMethod: "none", public: true, requirePkce: true });
    await expect(rotateClientSecret(context, clientId)).rejects.toSatisfy(refusedWith("client is public"));
  });

  it.each([
    ["redirect uri is invalid", { redirectUris: ["http://app.example/callback"] }],
    ["redirect uri is invalid", { redirectUris: ["https://app.example/callback#x"] }],
    ["redirect uri is invalid", { redirectUris: ["com.example.app:/callback"] }],
    ["redirect uri is invalid", { redirectUris: ["com.example.app:/callback", "https://app.example/"] }],
    ["redirect uri is invalid", { public: true, redirectUris: ["com.example.app:/callback", "https://localhost/"] }],
    ["redirect uri is invalid", { public: true, redirectUris: ["com.example.app:/callback", "https://[::1]:8443/"] }],
    ["redirect uri is invalid", { public: true, redirectUris: ["javascript:alert(1)"] }],
    ["redirect uri is invalid", { postLogoutRedirectUris: ["com.example.app:/bye"] }],
    ["redirect uri is invalid", { postLogoutRedirectUris: ["http://app.example/bye"] }],
    ["scope is unknown", { scopes: ["openid", "everything"] }],
    ["client is invalid", { redirectUris: [] }],
    ["client is invalid", { id: "-suite" }],
    ["client is invalid", { id: "a b" }],
    ["client is invalid", { name: "Suite\u202e" }],
    ["client is invalid", { public: true, requirePkce: false }],
    ["client is invalid", { public: true, mayIntrospect: true }],
    ["client is invalid", { public: true, authMethod: "client_secret_post" }],
    ["client is invalid", { backchannelLogoutUri: "http://app.example/logout" }],
    ["client is invalid", { clientUri: "javascript:alert(1)" }],
    ["client is invalid", { policyUri: "privacy" }],
    ["client is invalid", { groups: ["North"] }],
    ["group not found", { access: "groups", groups: ["North"] }],
  ] as [ErrorCode, Partial<NewClientInput>][])("%s: %o is refused, and nothing is added", async (code, wrong) => {
    const store = await withStore("sqlite");
    const { context } = administration(store);
    await expect(addClient(context, { ...suite, ...wrong })).rejects.toSatisfy(refusedWith(code));
    expect(await listClients(context)).toEqual([]);
  });

  it("an unknown client is not found by any function", async () => {
    const store = await withStore("sqlite");
    const { context } = administration(store);
    await expect(showClient(context, "suite")).rejects.toSatisfy(refusedWith("client not found"));
    await expect(rotateClientSecret(context, "suite")).rejects.toSatisfy(refusedWith("client not found"));
    await expect(removeClient(context, "suite")).rejects.toSatisfy(refusedWith("client not found"));
  });

  it("each change is a line in the log, without the secret", async () => {
    const store = await withStore("sqlite");
    const { context, lines } = administration(store);
    const { clientSecret } = await addClient(context, suite);
    const rotated = await rotateClientSecret(context, "suite");
    await removeClient(context, "suite");
    const logged = lines.map((line): Record<string, unknown> => JSON.parse(line));
    expect(logged.map(({ event, clientId }) => [event, clientId])).toEqual([
      ["client.added", "suite"],
      ["client.secret-rotated", "suite"],
      ["client.removed", "suite"],
    ]);
    expect(lines.join("")).not.toContain(clientSecret);
    expect(lines.join("")).not.toContain(rotated.clientSecret);
  });
});
