import { existsSync } from "node:fs";
import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { join } from "node:path";
import { exportJWK, generateKeyPair } from "jose";
import { type Adapter, type AdapterPayload, Provider } from "oidc-provider";
import { describe, expect, test } from "vitest";
import { findMember } from "#app/oidc/patches/patch.server.ts";
import { PATCHES } from "#app/oidc/patches/patches.server.ts";
import { ROOT, readText } from "#tests/support/source-tree.ts";

const provider = await createProvider();
const client = await provider.Client.find("app");
if (!client) throw new Error("the client was not found");

/** Creates oidc-provider without our patches, with its records in memory. */
async function createProvider() {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return new Provider("https://login.example", {
    adapter: createMemoryAdapter,
    ttl: { RefreshToken: 60 },
    jwks: { keys: [await exportJWK(privateKey)] },
    clients: [{ client_id: "app", client_secret: "secret", redirect_uris: ["https://app.example/callback"] }],
    cookies: { keys: ["key"], long: { signed: false } },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
  });
}

function createMemoryAdapter(): Adapter {
  const records = new Map<string, AdapterPayload>();
  return {
    upsert: async (id, payload) => void records.set(id, payload),
    find: async (id) => records.get(id),
    consume: async (id) => void records.set(id, { ...records.get(id), consumed: 1 }),
    destroy: async (id) => void records.delete(id),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    revokeByGrantId: async () => {},
  };
}

describe("oidc-provider still has each member that is replaced, with the same parameters:", () => {
  test.each(PATCHES)("$member", ({ member, parameters }) => {
    expect(findMember(provider, member).method.length).toBe(parameters);
  });

  test("a member that is missing is an error", () => {
    expect(() => findMember(provider, "Session.prototype.gone")).toThrow(
      "oidc-provider has no method Session.prototype.gone",
    );
    expect(() => findMember(provider, "Gone.find")).toThrow("oidc-provider has no method Gone.find");
  });

  test("its models belong to one provider, so that a patch has no effect on another", async () => {
    const other = await createProvider();
    const shared = PATCHES.filter(
      ({ member }) => findMember(provider, member).owner === findMember(other, member).owner,
    );
    expect(shared).toEqual([]);
  });
});

describe("the table of patches", () => {
  test("contains each member once", () => {
    const members = PATCHES.map(({ member }) => member);
    expect([...new Set(members)]).toEqual(members);
  });

  test("names decisions and tests that exist", () => {
    const missing = PATCHES.flatMap(({ decision, test: proof }) => {
      const [, file = "", title = ""] = /^`([^`]+)`: (.+)$/.exec(proof) ?? [];
      const isTested = existsSync(join(ROOT, file)) && title !== "" && readText(file).includes(title);
      const isDecided = existsSync(join(ROOT, "docs/decisions", decision));
      return [...(isTested ? [] : [proof]), ...(isDecided ? [] : [decision])];
    });
    expect(missing).toEqual([]);
  });
});

describe("oidc-provider still has the properties that the patches use:", () => {
  test("`oldId` is the former id of a session that gets a new one", () => {
    const session = new provider.Session();
    const oldId = session.jti;
    session.resetIdentifier();
    expect(session).toMatchObject({ oldId });
  });

  test("`destroyed` marks a session that is not saved again", async () => {
    const session = new provider.Session();
    await session.save(60);
    await session.destroy();
    expect(session).toMatchObject({ destroyed: true });
  });

  test("`new` marks the session of a request without a session cookie, not that of an unknown cookie", async () => {
    const withoutCookie = await provider.Session.get(contextOf({}));
    const unknown = await provider.Session.get(contextOf({ cookie: `${provider.cookieName("session")}=unknown` }));
    expect(withoutCookie).toMatchObject({ new: true });
    expect(unknown).not.toHaveProperty("new");
    expect(unknown.exp).toBeUndefined();
  });

  const properties = { client, accountId: "user", grantId: "grant", gty: "authorization_code", scope: "openid" };

  test("a refresh token that has an id is saved under it", async () => {
    const token = new provider.RefreshToken(properties);
    token.jti = "chosen";
    expect(await token.save()).toBe("chosen");
  });

  test("`consumed` marks a refresh token that was used", async () => {
    const token = new provider.RefreshToken(properties);
    const value = await token.save();
    await token.consume();
    expect((await provider.RefreshToken.find(value))?.consumed).toEqual(expect.any(Number));
  });
});

function contextOf(headers: IncomingHttpHeaders) {
  const request = Object.assign(new IncomingMessage(new Socket()), { headers, url: "/" });
  return provider.createContext(request, new ServerResponse(request));
}
