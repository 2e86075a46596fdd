import { execFile } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Browser, createBrowser } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { createDatabase, type TestDatabase } from "#tests/support/databases.ts";
import { createRelyingParty, type RelyingParty, readTokens, type Tokens } from "#tests/support/relying-party.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { codeOf, obtainTokens, open, redirectParameters, typePassword } from "./browser-steps.ts";

const anna = { id: "", username: "anna", displayName: "Anna Berg", password: "Ledger-Window-27-Oak" };
const REDIRECT_URI = "http://localhost:9/callback";

let server: ChildServer;
let party: RelyingParty;
/** Only for PostgreSQL; a SQLite file is created with the server. */
let database: TestDatabase | null = null;

beforeAll(async () => {
  if (process.env.GATEHOUSE_TEST_DIALECT === "postgres") database = await createDatabase("postgres");
  const { target } = database ?? {};
  server = await startChildServer({ env: target?.dialect === "postgres" ? { DATABASE_URL: target.url } : {} });
  await runCommand(["user", "add", anna.username, "--display-name", anna.displayName, "--password-stdin"]);
  const added = await runCommand([
    ...["client", "add", "--id", "desk", "--name", "Desk", "--redirect-uri", REDIRECT_URI],
    ...["--scope", "openid", "--scope", "offline", "--first-party", "--json"],
  ]);
  const { client_secret } = z.object({ client_secret: z.string() }).parse(JSON.parse(added));
  const client = { clientId: "desk", clientSecret: client_secret, redirectUri: REDIRECT_URI };
  party = createRelyingParty({ issuer: server.url, client });
});

afterAll(async () => {
  await server?.remove();
  await database?.remove();
});

/** Runs a command beside the server, with Anna's password on standard input. */
function runCommand(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: server.env, timeout: 30_000 };
    const child = execFile(
      process.execPath,
      [join(ROOT, "build/main.js"), ...args],
      options,
      (error, stdout, stderr) =>
        error ? reject(new Error(`gatehouse ${args[0]} ${args[1]}: ${stderr}`)) : resolve(stdout),
    );
    child.stdin?.end(anna.password);
  });
}

describe.each([
  { how: "that was asked to stop", end: () => server.stop() },
  { how: "whose plug was pulled", end: () => server.kill() },
])("after the restart of a server $how", ({ end }) => {
  let browser: Browser;
  let tokens: Tokens;

  async function restart() {
    await end();
    await server.start();
  }

  beforeAll(async () => {
    browser = createBrowser({ base: server.url });
    tokens = await obtainTokens(browser, party, party.request({ scope: "openid offline" }), anna);
    await restart();
  });

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

  test("a sign-in in progress continues: form, challenge and code", async () => {
    const request = party.request();
    const other = createBrowser({ base: server.url });
    const page = await open(other, request.url);
    await restart();
    const end = await typePassword(other, page, anna);
    const code = codeOf(end);
    await restart();
    expect((await party.exchange(code, request)).status).toBe(200);
  });

  test("used tokens stay used", async () => {
    const request = party.request({ prompt: "none" });
    const code = codeOf(await open(browser, request.url));
    expect((await party.exchange(code, request)).status).toBe(200);
    await restart();
    expect((await party.exchange(code, request)).error()).toBe("invalid_grant");
  });
});
