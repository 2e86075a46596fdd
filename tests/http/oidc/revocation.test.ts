import { beforeEach, describe, expect, test } from "vitest";
import { createRelyingParty, readTokens, type Tokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { seedTokens } from "./browser-steps.ts";
import { foreignKeyToken } from "./foreign-key-token.ts";

let tokens: Tokens;

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });

beforeEach(async () => {
  tokens = await seedTokens(server, server.browser(), party, party.request({ scope: "openid offline" }), anna);
});

describe("revocation", () => {
  // Proves requirement 89.
  test("of an access token invalidates it at once, at userinfo and introspection", async () => {
    const response = await party.revoke(tokens.accessToken);
    expect([response.status, response.body, response.headers.get("content-type")]).toEqual([200, "", null]);
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    expect((await party.introspect(tokens.accessToken)).json()).toEqual({ active: false });
  });

  test("of a refresh token also revokes its access tokens (RFC 7009 section 2.1)", async () => {
    const second = readTokens(await party.refresh(tokens.refreshToken));
    expect((await party.revoke(second.refreshToken, { token_type_hint: "refresh_token" })).status).toBe(200);
    expect((await party.refresh(second.refreshToken)).error()).toBe("invalid_grant");
    for (const { accessToken } of [tokens, second]) {
      expect((await party.userinfo(accessToken)).status).toBe(401);
      expect((await party.introspect(accessToken)).json()).toEqual({ active: false });
    }
  });

  test("finds the token despite a wrong hint", async () => {
    expect((await party.revoke(tokens.refreshToken, { token_type_hint: "access_token" })).status).toBe(200);
    expect((await party.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
  });

  test("of an invalid token is no error (RFC 7009 section 2.2)", async () => {
    for (const token of ["nonsense", "x".repeat(3_000)]) {
      const { status, headers } = await party.revoke(token);
      expect([status, headers.get("content-type"), headers.get("content-length")]).toEqual([200, null, "0"]);
    }
  });

  test("of a token that looks like a JWT is no error, because no token of ours does (RFC 7009 section 2.2)", async () => {
    for (const token of [tokens.idToken, await foreignKeyToken({ sub: anna.id }, { withJwk: true })]) {
      const { status, body, headers } = await party.revoke(token);
      expect([status, body, headers.get("content-type")]).toEqual([200, "", null]);
    }
  });

  test("of a token that looks like a JWT is refused without client authentication", async () => {
    const client = { clientId: party.clientId, clientSecret: "wrong", redirectUri: party.redirectUri };
    const response = await createRelyingParty({ issuer: server.url, client }).revoke(tokens.idToken);
    expect([response.status, response.error()]).toEqual([401, "invalid_client"]);
  });

  test("by another application changes nothing", async () => {
    const otherParty = await server.parties.create({ firstParty: true });
    for (const token of [tokens.accessToken, tokens.refreshToken]) {
      const response = await otherParty.revoke(token);
      expect([response.status, response.error()]).toEqual([400, "invalid_request"]);
    }
    expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
    expect((await party.refresh(tokens.refreshToken)).status).toBe(200);
  });

  test("with a wrong secret changes nothing", async () => {
    const client = { clientId: party.clientId, clientSecret: "wrong", redirectUri: party.redirectUri };
    const thief = createRelyingParty({ issuer: server.url, client });
    const response = await thief.revoke(tokens.accessToken);
    expect([response.status, response.error()]).toEqual([401, "invalid_client"]);
    expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
  });

  test("does not affect another sign-in of the same user", async () => {
    const other = await seedTokens(server, server.browser(), party, party.request({ scope: "openid offline" }), anna);
    await party.revoke(tokens.refreshToken);
    expect((await party.userinfo(other.accessToken)).status).toBe(200);
    expect((await party.refresh(other.refreshToken)).status).toBe(200);
  });
});
