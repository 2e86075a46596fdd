import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addClient, addUser } from "#tests/http/crash/command.ts";
import { type Browser, createBrowser, type HttpResponse } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { createDatabase, type TestDatabase } from "#tests/support/databases.ts";
import {
  type AuthorizationRequest,
  createRelyingParty,
  type RelyingParty,
  readTokens,
  type Tokens,
} from "#tests/support/relying-party.ts";
import { obtainTokens, open, signIn, typePassword } from "./browser-steps.ts";
import { codeOf, redirectParameters } from "./responses.ts";

const anna = { id: "", username: "anna", displayName: "Anna Berg", password: "Ledger-Window-27-Oak" };

let server: ChildServer;
let party: RelyingParty;
/** Only for PostgreSQL; a SQLite file is created with the server. */
let database: TestDatabase | null = null;

beforeAll(async () => {
  if (process.env.GATEHOUSE_TEST_DIALECT === "postgres") database = await createDatabase("postgres");
  const { target } = database ?? {};
  server = await startChildServer({ env: target?.dialect === "postgres" ? { DATABASE_URL: target.url } : {} });
  await addUser(server, anna);
  party = createRelyingParty({ issuer: server.url, client: await addClient(server, "desk") });
});

afterAll(async () => {
  await server?.remove();
  await database?.remove();
});

describe.each([
  { how: "that was asked to stop", end: () => server.stop() },
  { how: "whose plug was pulled", end: () => server.kill() },
])("after the restart of a server $how", ({ end }) => {
  let browser: Browser;
  let tokens: Tokens;
  let begun: { browser: Browser; page: HttpResponse; request: AuthorizationRequest };
  let used: { code: string; request: AuthorizationRequest };

  async function restart() {
    await end();
    await server.start();
  }

  beforeAll(async () => {
    browser = createBrowser({ base: server.url });
    tokens = await obtainTokens(browser, party, party.request({ scope: "openid offline" }), anna);
    begun = await beginSignIn();
    used = await useCode();
    await restart();
  });

  /** Opens the sign-in page in another browser. */
  async function beginSignIn() {
    const other = createBrowser({ base: server.url });
    const request = party.request();
    return { browser: other, page: await open(other, request.url), request };
  }

  /** Exchanges a code. It is issued to another session, because its reuse revokes tokens. */
  async function useCode() {
    const request = party.request();
    const code = codeOf(await signIn(createBrowser({ base: server.url }), request, anna));
    expect((await party.exchange(code, request)).status).toBe(200);
    return { code, request };
  }

  test("users are still signed in", async () => {
    const response = await open(browser, party.request({ prompt: "none" }).url);
    expect(redirectParameters(response)).toHaveProperty("code");
  });

  test("tokens and keys are unchanged", async () => {
    expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
    await party.verifyIdToken(tokens.idToken);
    const refreshed = readTokens(await party.refresh(tokens.refreshToken));
    await party.verifyIdToken(refreshed.idToken);
  });

  test("used tokens stay used", async () => {
    expect((await party.exchange(used.code, used.request)).error()).toBe("invalid_grant");
  });

  test("a sign-in in progress continues: form, challenge and code", async () => {
    const code = codeOf(await typePassword(begun.browser, begun.page, anna));
    await restart();
    expect((await party.exchange(code, begun.request)).status).toBe(200);
  });
});
