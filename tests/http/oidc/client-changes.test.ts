import { describe, expect, test } from "vitest";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { rotateClientSecret } from "#app/domain/client/rotate-secret.server.ts";
import { setClient } from "#app/domain/client/set.server.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { followRedirects, open, seedSignIn, seedTokens } from "./browser-steps.ts";
import { codeOf, hasForm } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const resourceServer = await server.parties.create({ mayIntrospect: true });

const at = eachTest(async () => {
  const client = await server.clients.create({ scopes: ["openid", "offline"] });
  const party = createRelyingParty({ issuer: server.url, client });
  const browser = server.browser();
  const tokens = await seedTokens(server, browser, party, party.request({ scope: "openid offline" }), anna);
  return { client, party, browser, tokens };
});

describe("when an administrator rotates an application's secret", () => {
  test("the old one is invalid at once, and the new one works without a restart", async () => {
    const { clientSecret } = await rotateClientSecret(server.context, at.client.clientId);
    const old = await at.party.refresh(at.tokens.refreshToken);
    expect([old.status, old.error()]).toEqual([401, "invalid_client"]);
    const renewed = createRelyingParty({ issuer: server.url, client: { ...at.client, clientSecret } });
    expect((await renewed.refresh(at.tokens.refreshToken)).status).toBe(200);
  });
});

describe("when an administrator changes an application", () => {
  test("another redirect URI is valid at once, and the removed one is refused", async () => {
    const redirectUri = "http://localhost:9/elsewhere";
    await setClient(server.context, at.client.clientId, { redirectUris: [redirectUri] });
    const old = await open(at.browser, at.party.request().url);
    expect([old.status, new URL(old.url).pathname]).toEqual([400, "/error"]);
    const moved = createRelyingParty({ issuer: server.url, client: { ...at.client, redirectUri } });
    expect(hasForm(await open(at.browser, moved.request({ prompt: "consent" }).url), "/consent/accept")).toBe(true);
  });

  test("a removed redirect URI gets no response to a request in progress, neither a code nor a refusal", async () => {
    const other = "http://localhost:9/elsewhere";
    for (const button of ["/consent/accept", "/consent/reject"]) {
      await setClient(server.context, at.client.clientId, { redirectUris: [at.client.redirectUri, other] });
      const question = await open(at.browser, at.party.request({ prompt: "consent" }).url);
      await setClient(server.context, at.client.clientId, { redirectUris: [other] });
      const pressed = await at.browser.submit(question, question.page().form(button));
      const end = await followRedirects(at.browser, pressed);
      expect([button, end.location, end.status, new URL(end.url).pathname]).toEqual([button, null, 400, "/error"]);
    }
  });

  test("the page of a refused scope has no link to a removed redirect URI", async () => {
    const question = await open(at.browser, at.party.request({ scope: "openid email" }).url);
    expect(question.page().state()).toMatchObject({ redirect_uri: expect.stringContaining(at.client.redirectUri) });
    await setClient(server.context, at.client.clientId, { redirectUris: ["http://localhost:9/elsewhere"] });
    expect((await at.browser.get(question.url)).page().state()).not.toHaveProperty("redirect_uri");
  });

  test("a code that was sent to a removed redirect URI is invalid", async () => {
    const request = at.party.request();
    const code = codeOf(await seedSignIn(server, at.browser, request, anna));
    await setClient(server.context, at.client.clientId, { redirectUris: ["http://localhost:9/elsewhere"] });
    expect((await at.party.exchange(code, request)).error()).toBe("invalid_grant");
  });

  test.each([
    [
      "is removed from the application",
      () => setClient(server.context, at.client.clientId, { postLogoutRedirectUris: [] }),
    ],
    ["is that of a removed application", () => removeClient(server.context, at.client.clientId)],
  ])("a logout in progress does not return to a URI that %s", async (_what, change) => {
    const signedOut = "http://localhost:9/signed-out";
    await setClient(server.context, at.client.clientId, { postLogoutRedirectUris: [signedOut] });
    const page = await open(at.browser, at.party.logoutUrl({ post_logout_redirect_uri: signedOut }));
    await change();
    const end = await followRedirects(at.browser, await at.browser.submit(page, page.page().form("/logout/accept")));
    expect([end.location, end.status, new URL(end.url).pathname]).toEqual([null, 200, "/logout/callback"]);
    expect(end.page().state()).toMatchObject({ status: "accepted" });
  });

  // Proves requirement 61.
  test.each([
    ["fewer scopes", { scopes: ["openid"] }],
    ["consent that has to be asked for", { firstParty: false }],
  ])("with %s, tokens issued before are invalid", async (_what, changes) => {
    await setClient(server.context, at.client.clientId, { firstParty: true });
    const wide = await seedTokens(
      server,
      server.browser(),
      at.party,
      at.party.request({ scope: "openid offline" }),
      anna,
    );
    const request = at.party.request({ scope: "openid offline" });
    const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
    await setClient(server.context, at.client.clientId, changes);
    expect((await at.party.userinfo(wide.accessToken)).status).toBe(401);
    expect((await at.party.refresh(wide.refreshToken)).error()).toBe("invalid_grant");
    expect((await at.party.exchange(code, request)).error()).toBe("invalid_grant");
  });

  test("a new name or home page does not end any access", async () => {
    await setClient(server.context, at.client.clientId, { name: "Another name", clientUri: "https://desk.example/" });
    expect((await at.party.userinfo(at.tokens.accessToken)).status).toBe(200);
    expect((await at.party.refresh(at.tokens.refreshToken)).status).toBe(200);
  });

  test("a resource server that may not introspect any more gets information on its own tokens only", async () => {
    const { clientId } = resourceServer;
    await setClient(server.context, clientId, { mayIntrospect: false });
    expect((await resourceServer.introspect(at.tokens.accessToken)).json()).toEqual({ active: false });
    await setClient(server.context, clientId, { mayIntrospect: true });
    expect((await resourceServer.introspect(at.tokens.accessToken)).json()).toMatchObject({ active: true });
  });
});

describe("when an administrator removes an application", () => {
  test("its tokens are invalid at once", async () => {
    await removeClient(server.context, at.client.clientId);
    expect((await at.party.userinfo(at.tokens.accessToken)).status).toBe(401);
    for (const token of [at.tokens.accessToken, at.tokens.refreshToken]) {
      expect((await resourceServer.introspect(token)).json()).toEqual({ active: false });
    }
    const response = await at.party.refresh(at.tokens.refreshToken);
    expect([response.status, response.error()]).toEqual([401, "invalid_client"]);
  });

  test("an issued code is rejected", async () => {
    const request = at.party.request();
    const code = codeOf(await seedSignIn(server, at.browser, request, anna));
    await removeClient(server.context, at.client.clientId);
    expect((await at.party.exchange(code, request)).status).toBe(401);
  });

  test("its requests end on the error page, also one in progress", async () => {
    const question = await open(at.browser, at.party.request({ prompt: "consent" }).url);
    expect(hasForm(question, "/consent/accept")).toBe(true);
    await removeClient(server.context, at.client.clientId);
    const page = await open(at.browser, at.party.request().url);
    expect([page.status, new URL(page.url).pathname]).toEqual([400, "/error"]);
    const late = await followRedirects(
      at.browser,
      await at.browser.submit(question, question.page().form("/consent/accept")),
    );
    expect([late.status, late.location]).toEqual([400, null]);
  });

  test("users stay signed in for other applications, and can sign out", async () => {
    await removeClient(server.context, at.client.clientId);
    const other = await server.parties.create({ firstParty: true });
    expect((await open(at.browser, other.request({ prompt: "none" }).url)).location).toContain("code=");
    const page = await open(at.browser, other.logoutUrl());
    const end = await followRedirects(at.browser, await at.browser.submit(page, page.page().form("/logout/accept")));
    expect(end.page().state()).toMatchObject({ status: "accepted" });
  });
});
