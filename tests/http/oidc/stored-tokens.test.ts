import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { createRelyingParty, type RelyingParty, readTokens, type Tokens } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { codeOf, open, seedSignIn } from "./browser-steps.ts";

let server: TestServer;
let anna: TestUser;
let party: RelyingParty;
let browser: Browser;
let code: string;
let tokens: Tokens;

beforeAll(async () => {
  server = await startServer();
  anna = await server.users.create();
  const client = await server.clients.create({ firstParty: true, scopes: ["openid", "offline"] });
  party = createRelyingParty({ issuer: server.url, client });
  browser = server.browser();
  const request = party.request({ scope: "openid offline" });
  code = codeOf(await seedSignIn(server, browser, request, anna));
  tokens = readTokens(await party.exchange(code, request));
  // An interaction that is too large for its challenge, which stores the session in which it was started.
  const state = randomBytes(3000).toString("base64url");
  await open(browser, party.request({ prompt: "login", state }).url);
});

afterAll(() => server?.close());

/** Returns all engine records as one text. */
async function readRecords(): Promise<string> {
  const { q, t } = server.context.store;
  return JSON.stringify(await q.select().from(t.oidcRecords));
}

function sessionCookie(): string {
  const value = browser.jar.find("gatehouse_session")?.value;
  if (!value) throw new Error("There is no session cookie.");
  return value;
}

describe("a copy of the database", () => {
  test("contains no code, access token, refresh token or session cookie", async () => {
    const records = await readRecords();
    for (const secret of [code, tokens.accessToken, tokens.refreshToken, sessionCookie()]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(records).toContain(hashToken(secret));
      expect(records).not.toContain(secret);
    }
  });

  test.each(["", "key:"])("contains no value that is accepted as a token (with “%s” before it)", async (prefix) => {
    // Bypasses the tests' client, which treats every token it sends as a secret that must not be in the database.
    const read = (token: string) =>
      fetch(new URL("/userinfo", server.url), { headers: { authorization: `Bearer ${token}` } });
    expect((await read(`${prefix}${hashToken(tokens.accessToken)}`)).status).toBe(401);
    expect((await read(tokens.accessToken)).status).toBe(200);
  });
});
