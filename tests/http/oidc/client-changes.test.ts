import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { rotateClientSecret } from "#app/domain/client/rotate-secret.server.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { createRelyingParty, type RelyingParty, type Tokens } from "#tests/support/relying-party.ts";
import { startServer, type TestClient, type TestServer, type TestUser } from "#tests/support/server.ts";
import { asksFor, codeOf, obtainTokens, open, signIn, walk } from "./person.ts";

let server: TestServer;
let anna: TestUser;
let client: TestClient;
let party: RelyingParty;
let resourceServer: RelyingParty;
let browser: Browser;
let tokens: Tokens;

beforeAll(async () => {
  server = await startServer();
  anna = await server.users.create();
  const flagged = await server.clients.create({ mayIntrospect: true });
  resourceServer = createRelyingParty({ issuer: server.url, client: flagged });
});

afterAll(() => server?.close());

beforeEach(async () => {
  client = await server.clients.create({ scopes: ["openid", "offline"] });
  party = createRelyingParty({ issuer: server.url, client });
  browser = server.browser();
  tokens = await obtainTokens(browser, party, party.request({ scope: "openid offline" }), anna);
});

describe("when an administrator gives an application another secret", () => {
  test("the old one is dead at once, and the new one works, without a restart", async () => {
    const { clientSecret } = await rotateClientSecret(server.context, client.clientId);
    const old = await party.refresh(tokens.refreshToken);
    expect([old.status, old.error()]).toEqual([401, "invalid_client"]);
    const renewed = createRelyingParty({ issuer: server.url, client: { ...client, clientSecret } });
    expect((await renewed.refresh(tokens.refreshToken)).status).toBe(200);
  });
});

describe("when an administrator removes an application", () => {
  test("its tokens are dead at once", async () => {
    await removeClient(server.context, client.clientId);
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    for (const token of [tokens.accessToken, tokens.refreshToken]) {
      expect((await resourceServer.introspect(token)).json()).toEqual({ active: false });
    }
    const answer = await party.refresh(tokens.refreshToken);
    expect([answer.status, answer.error()]).toEqual([401, "invalid_client"]);
  });

  test("a code that is under way is worth nothing", async () => {
    const request = party.request();
    const code = codeOf(await signIn(browser, request, anna));
    await removeClient(server.context, client.clientId);
    expect((await party.exchange(code, request)).status).toBe(401);
  });

  test("its requests end on the error page, also one that was under way", async () => {
    const question = await open(browser, party.request({ prompt: "consent" }).url);
    expect(asksFor(question, "/consent/accept")).toBe(true);
    await removeClient(server.context, client.clientId);
    const page = await open(browser, party.request().url);
    expect([page.status, new URL(page.url).pathname]).toEqual([400, "/error"]);
    const late = await walk(browser, await browser.submit(question, question.page().form("/consent/accept")));
    expect([late.status, late.location]).toEqual([400, null]);
  });

  test("people stay signed in for the others, and can sign out", async () => {
    await removeClient(server.context, client.clientId);
    const other = createRelyingParty({ issuer: server.url, client: await server.clients.create({ firstParty: true }) });
    expect((await open(browser, other.request({ prompt: "none" }).url)).location).toContain("code=");
    const page = await open(browser, other.logoutUrl());
    const end = await walk(browser, await browser.submit(page, page.page().form("/logout/accept")));
    expect(end.page().state()).toMatchObject({ status: "accepted" });
  });
});
