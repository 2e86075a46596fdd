import { beforeEach, describe, expect, test } from "vitest";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { rotateClientSecret } from "#app/domain/client/rotate-secret.server.ts";
import { setClient } from "#app/domain/client/set.server.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { createRelyingParty, type RelyingParty, type Tokens } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestClient } from "#tests/support/server.ts";
import { followRedirects, open, seedSignIn, seedTokens } from "./browser-steps.ts";
import { codeOf, hasForm } from "./responses.ts";

let client: TestClient;
let party: RelyingParty;
let browser: Browser;
let tokens: Tokens;

const server = await serverOfFile();
const anna = await server.users.create();
const resourceServer = await server.parties.create({ mayIntrospect: true });

beforeEach(async () => {
  client = await server.clients.create({ scopes: ["openid", "offline"] });
  party = createRelyingParty({ issuer: server.url, client });
  browser = server.browser();
  tokens = await seedTokens(server, browser, party, party.request({ scope: "openid offline" }), anna);
});

describe("when an administrator rotates an application's secret", () => {
  test("the old one is invalid at once, and the new one works without a restart", async () => {
    const { clientSecret } = await rotateClientSecret(server.context, client.clientId);
    const old = await party.refresh(tokens.refreshToken);
    expect([old.status, old.error()]).toEqual([401, "invalid_client"]);
    const renewed = createRelyingParty({ issuer: server.url, client: { ...client, clientSecret } });
    expect((await renewed.refresh(tokens.refreshToken)).status).toBe(200);
  });
});

describe("when an administrator changes an application", () => {
  test("another redirect URI is valid at once, and the removed one is refused", async () => {
    const redirectUri = "http://localhost:9/elsewhere";
    await setClient(server.context, client.clientId, { redirectUris: [redirectUri] });
    const old = await open(browser, party.request().url);
    expect([old.status, new URL(old.url).pathname]).toEqual([400, "/error"]);
    const moved = createRelyingParty({ issuer: server.url, client: { ...client, redirectUri } });
    expect(hasForm(await open(browser, moved.request({ prompt: "consent" }).url), "/consent/accept")).toBe(true);
  });

  test.each([
    ["fewer scopes", { scopes: ["openid"] }],
    ["consent that has to be asked for", { firstParty: false }],
  ])("with %s, tokens issued before are invalid", async (_what, changes) => {
    await setClient(server.context, client.clientId, { firstParty: true });
    const wide = await seedTokens(server, server.browser(), party, party.request({ scope: "openid offline" }), anna);
    const request = party.request({ scope: "openid offline" });
    const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
    await setClient(server.context, client.clientId, changes);
    expect((await party.userinfo(wide.accessToken)).status).toBe(401);
    expect((await party.refresh(wide.refreshToken)).error()).toBe("invalid_grant");
    expect((await party.exchange(code, request)).error()).toBe("invalid_grant");
  });

  test("a new name or home page does not end any access", async () => {
    await setClient(server.context, client.clientId, { name: "Another name", clientUri: "https://desk.example/" });
    expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
    expect((await party.refresh(tokens.refreshToken)).status).toBe(200);
  });

  test("a resource server that may not introspect any more gets information on its own tokens only", async () => {
    const { clientId } = resourceServer;
    await setClient(server.context, clientId, { mayIntrospect: false });
    expect((await resourceServer.introspect(tokens.accessToken)).json()).toEqual({ active: false });
    await setClient(server.context, clientId, { mayIntrospect: true });
    expect((await resourceServer.introspect(tokens.accessToken)).json()).toMatchObject({ active: true });
  });
});

describe("when an administrator removes an application", () => {
  test("its tokens are invalid at once", async () => {
    await removeClient(server.context, client.clientId);
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    for (const token of [tokens.accessToken, tokens.refreshToken]) {
      expect((await resourceServer.introspect(token)).json()).toEqual({ active: false });
    }
    const response = await party.refresh(tokens.refreshToken);
    expect([response.status, response.error()]).toEqual([401, "invalid_client"]);
  });

  test("an issued code is rejected", async () => {
    const request = party.request();
    const code = codeOf(await seedSignIn(server, browser, request, anna));
    await removeClient(server.context, client.clientId);
    expect((await party.exchange(code, request)).status).toBe(401);
  });

  test("its requests end on the error page, also one in progress", async () => {
    const question = await open(browser, party.request({ prompt: "consent" }).url);
    expect(hasForm(question, "/consent/accept")).toBe(true);
    await removeClient(server.context, client.clientId);
    const page = await open(browser, party.request().url);
    expect([page.status, new URL(page.url).pathname]).toEqual([400, "/error"]);
    const late = await followRedirects(
      browser,
      await browser.submit(question, question.page().form("/consent/accept")),
    );
    expect([late.status, late.location]).toEqual([400, null]);
  });

  test("users stay signed in for other applications, and can sign out", async () => {
    await removeClient(server.context, client.clientId);
    const other = await server.parties.create({ firstParty: true });
    expect((await open(browser, other.request({ prompt: "none" }).url)).location).toContain("code=");
    const page = await open(browser, other.logoutUrl());
    const end = await followRedirects(browser, await browser.submit(page, page.page().form("/logout/accept")));
    expect(end.page().state()).toMatchObject({ status: "accepted" });
  });
});
