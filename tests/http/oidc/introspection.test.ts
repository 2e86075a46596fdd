import { describe, expect, test } from "vitest";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { sendApiRequest } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open, seedSignIn, seedTokens } from "./browser-steps.ts";
import { codeOf } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const create = (input: object) => server.parties.create({ firstParty: true, ...input });
const party = await create({ scopes: ["openid", "orders", "offline"] });
const otherParty = await create({});
const resourceServer = await create({ mayIntrospect: true });
const request = party.request({ scope: "openid orders offline" });
const tokens = await seedTokens(server, server.browser(), party, request, anna);

describe("introspection", () => {
  test("returns the application's own access token", async () => {
    const now = Math.floor(server.clock.now().getTime() / 1000);
    const response = await party.introspect(tokens.accessToken);
    expect([response.status, response.json()]).toEqual([
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
    expect(String(response.json().scope).split(" ").sort()).toEqual(["offline", "openid", "orders"]);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("works for a resource server without redirect URI, which cannot sign users in", async () => {
    const api = await server.parties.create({ mayIntrospect: true, redirectUris: [] });
    expect((await api.introspect(tokens.accessToken)).json()).toMatchObject({ active: true, sub: anna.id });
    for (const redirect_uri of ["https://evil.example/", undefined]) {
      const page = await open(server.browser(), api.request({ redirect_uri }).url);
      expect([page.status, new URL(page.url).pathname]).toEqual([400, "/error"]);
    }
    for (const grant of [
      { grant_type: "authorization_code", code: "x" },
      { grant_type: "refresh_token", refresh_token: "x" },
    ]) {
      expect((await api.post(ENGINE_ROUTES.token, grant)).status).toBe(400);
    }
  });

  test("returns its own refresh token", async () => {
    for (const token_type_hint of ["refresh_token", "access_token", "nonsense", undefined]) {
      const response = await party.introspect(tokens.refreshToken, { token_type_hint });
      expect(response.json()).toMatchObject({ active: true, client_id: party.clientId, sub: anna.id });
    }
  });

  test("reports tokens of other applications as inactive", async () => {
    for (const token of [tokens.accessToken, tokens.refreshToken]) {
      expect((await otherParty.introspect(token)).json()).toEqual({ active: false });
    }
  });

  test("returns all access tokens to a resource server flagged by an administrator", async () => {
    const response = await resourceServer.introspect(tokens.accessToken);
    const expected = { active: true, client_id: party.clientId, sub: anna.id, token_type: "Bearer" };
    expect(response.json()).toMatchObject(expected);
  });

  // Proves requirement 139.
  test("reports refresh tokens as inactive to a resource server, because an API could accept them as access tokens", async () => {
    for (const token_type_hint of ["refresh_token", "access_token", undefined]) {
      const response = await resourceServer.introspect(tokens.refreshToken, { token_type_hint });
      expect([response.status, response.json()]).toEqual([200, { active: false }]);
    }
  });

  test("returns a resource server its own refresh token, without the type of an access token", async () => {
    const own = await server.parties.create({
      firstParty: true,
      mayIntrospect: true,
      scopes: ["openid", "offline"],
    });
    const request = own.request({ scope: "openid offline" });
    const { refreshToken } = await seedTokens(server, server.browser(), own, request, anna);
    const response = (await own.introspect(refreshToken)).json();
    expect(response).toMatchObject({ active: true, client_id: own.clientId });
    expect(response).not.toHaveProperty("token_type");
  });

  test("reports invalid and expired tokens as inactive, without details", async () => {
    const code = codeOf(await seedSignIn(server, server.browser(), party.request(), anna));
    for (const token of ["nonsense", "x".repeat(3_000), code]) {
      const response = await resourceServer.introspect(token);
      expect([response.status, response.json()]).toEqual([200, { active: false }]);
    }
  });

  test("reports a token that looks like a JWT as inactive (RFC 7662 §2.2)", async () => {
    const response = await party.introspect(tokens.idToken);
    expect([response.status, response.json()]).toEqual([200, { active: false }]);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("is refused without client authentication", async () => {
    const url = `${server.url}${ENGINE_ROUTES.introspection}`;
    const bare = await sendApiRequest(url, {
      method: "POST",
      body: new URLSearchParams({ token: tokens.accessToken }),
    });
    expect(bare.status).toBeGreaterThanOrEqual(400);
    expect(bare.body).not.toContain("active");
  });

  test("is refused to a public application for tokens of others", async () => {
    const open = await server.parties.create({ public: true, firstParty: true });
    const response = await open.introspect(tokens.accessToken);
    expect(response.body).not.toContain(anna.id);
    expect(response.body).not.toMatch(/"active":\s*true/);
  });

  test("refuses GET, because URLs are logged", async () => {
    const response = await sendApiRequest(`${server.url}${ENGINE_ROUTES.introspection}?token=${tokens.accessToken}`);
    expect(response.status).toBeGreaterThanOrEqual(400);
  });

  test("requires a token", async () => {
    const response = await party.introspect("", { token: undefined });
    expect([response.status, response.error()]).toEqual([400, "invalid_request"]);
  });
});
