import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open, seedSignIn } from "./browser-steps.ts";
import { codeOf } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });
const browser = server.browser();
const request = party.request({ scope: "openid offline" });
const code = codeOf(await seedSignIn(server, browser, request, anna));
const tokens = readTokens(await party.exchange(code, request));
// An interaction that is too large for its challenge, which stores the session in which it was started.
const state = randomBytes(3000).toString("base64url");
await open(browser, party.request({ prompt: "login", state }).url);

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
  // Proves requirement 68.
  test("contains no code, access token, refresh token or session cookie", async () => {
    const records = await readRecords();
    for (const secret of [code, tokens.accessToken, tokens.refreshToken, sessionCookie()]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(records).toContain(hashToken(secret));
      expect(records).not.toContain(secret);
    }
  });

  // Proves requirement 68.
  test.each(["", "key:"])("contains no value that is accepted as a token (with “%s” before it)", async (prefix) => {
    // Bypasses the tests' client, which treats every token it sends as a secret that must not be in the database.
    const read = (token: string) =>
      fetch(new URL("/userinfo", server.url), { headers: { authorization: `Bearer ${token}` } });
    expect((await read(`${prefix}${hashToken(tokens.accessToken)}`)).status).toBe(401);
    expect((await read(tokens.accessToken)).status).toBe(200);
  });
});
