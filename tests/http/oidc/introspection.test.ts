import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { ask, createRelyingParty, type RelyingParty, type Tokens } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { codeOf, obtainTokens, signIn } from "./person.ts";

let server: TestServer;
let anna: TestUser;
let party: RelyingParty;
let stranger: RelyingParty;
let resourceServer: RelyingParty;
let tokens: Tokens;

beforeAll(async () => {
  server = await startServer();
  anna = await server.users.create();
  const create = async (input: object) =>
    createRelyingParty({ issuer: server.url, client: await server.clients.create({ firstParty: true, ...input }) });
  party = await create({ scopes: ["openid", "orders", "offline"] });
  stranger = await create({});
  resourceServer = await create({ mayIntrospect: true });
  const request = party.request({ scope: "openid orders offline" });
  tokens = await obtainTokens(server.browser(), party, request, anna);
});

afterAll(() => server?.close());

describe("introspection", () => {
  test("tells an application of its own access token", async () => {
    const now = Math.floor(server.clock.now().getTime() / 1000);
    const answer = await party.introspect(tokens.accessToken);
    expect([answer.status, answer.json()]).toEqual([
      200,
      expect.objectContaining({
        active: true,
        client_id: party.clientId,
        sub: anna.id,
        iss: server.url,
        token_type: "Bearer",
        iat: now,
        exp: now + 600,
      }),
    ]);
    expect(String(answer.json().scope).split(" ").sort()).toEqual(["offline", "openid", "orders"]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("tells it of its own refresh token", async () => {
    for (const token_type_hint of ["refresh_token", "access_token", "nonsense", undefined]) {
      const answer = await party.introspect(tokens.refreshToken, { token_type_hint });
      expect(answer.json()).toMatchObject({ active: true, client_id: party.clientId, sub: anna.id });
    }
  });

  test("tells another application nothing but that the token is none of its own", async () => {
    for (const token of [tokens.accessToken, tokens.refreshToken]) {
      expect((await stranger.introspect(token)).json()).toEqual({ active: false });
    }
  });

  test("tells a resource server, flagged by an administrator, of everybody's", async () => {
    const answer = await resourceServer.introspect(tokens.accessToken);
    const told = { active: true, client_id: party.clientId, sub: anna.id, token_type: "Bearer" };
    expect(answer.json()).toMatchObject(told);
  });

  test("tells a resource server of nobody's refresh token: at an API it would pass as an access token", async () => {
    for (const token_type_hint of ["refresh_token", "access_token", undefined]) {
      const answer = await resourceServer.introspect(tokens.refreshToken, { token_type_hint });
      expect([answer.status, answer.json()]).toEqual([200, { active: false }]);
    }
  });

  test("tells a resource server of its own refresh token, without the type of an access token", async () => {
    const client = await server.clients.create({
      firstParty: true,
      mayIntrospect: true,
      scopes: ["openid", "offline"],
    });
    const own = createRelyingParty({ issuer: server.url, client });
    const request = own.request({ scope: "openid offline" });
    const { refreshToken } = await obtainTokens(server.browser(), own, request, anna);
    const answer = (await own.introspect(refreshToken)).json();
    expect(answer).toMatchObject({ active: true, client_id: own.clientId });
    expect(answer).not.toHaveProperty("token_type");
  });

  test("says of what is no token, or over, that it is not active, and no more", async () => {
    const code = codeOf(await signIn(server.browser(), party.request(), anna));
    for (const token of ["nonsense", "x".repeat(3_000), code]) {
      const answer = await resourceServer.introspect(token);
      expect([answer.status, answer.json()]).toEqual([200, { active: false }]);
    }
  });

  test("of an ID token is refused: that is read, not asked about", async () => {
    const answer = await party.introspect(tokens.idToken);
    expect([answer.status, answer.error()]).toEqual([400, "unsupported_token_type"]);
  });

  test("is refused without proof of the application", async () => {
    const url = `${server.url}${ENGINE_ROUTES.introspection}`;
    const bare = await ask(url, { method: "POST", body: new URLSearchParams({ token: tokens.accessToken }) });
    expect(bare.status).toBeGreaterThanOrEqual(400);
    expect(bare.body).not.toContain("active");
  });

  test("is refused to a public application, which can prove nothing, for tokens of others", async () => {
    const client = await server.clients.create({ public: true, firstParty: true });
    const open = createRelyingParty({ issuer: server.url, client });
    const answer = await open.introspect(tokens.accessToken);
    expect(answer.body).not.toContain(anna.id);
    expect(answer.body).not.toMatch(/"active":\s*true/);
  });

  test("takes no GET, where tokens would stand in addresses", async () => {
    const answer = await ask(`${server.url}${ENGINE_ROUTES.introspection}?token=${tokens.accessToken}`);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  test("wants a token", async () => {
    const answer = await party.introspect("", { token: undefined });
    expect([answer.status, answer.error()]).toEqual([400, "invalid_request"]);
  });
});
