import { afterAll, beforeAll, expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { freePort } from "#tests/support/free-port.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { addClient, addUser, databaseOfRun, runProgram } from "./command.ts";

let server: ChildServer;
let party: RelyingParty;
let database: Awaited<ReturnType<typeof databaseOfRun>>;
let anna: { id: string; username: string; password: string; displayName: string };

beforeAll(async () => {
  database = await databaseOfRun();
  server = await startChildServer({ env: database.env });
  party = createRelyingParty({ issuer: server.url, client: await addClient(server, "suite") });
  const typed = { username: "anna", password: TEST_PASSWORD };
  anna = { ...typed, ...(await addUser(server, typed)), displayName: "Name of anna" };
}, 60_000);

afterAll(async () => {
  await server?.remove();
  await database?.remove();
});

/** SQLite allows one server process per file, PostgreSQL several. */
if (process.env.GATEHOUSE_TEST_DIALECT === "postgres") {
  test("several servers on one PostgreSQL share sessions: a user signed in at one is signed in at the other", async () => {
    const browser = createBrowser({ base: server.url });
    await signIn(browser, party.request(), anna);
    const other = await startChildServer({ env: { ...database.env, ISSUER: server.url } });
    try {
      const request = party.request({ prompt: "none" });
      const { pathname, search } = new URL(request.url);
      const there = createBrowser({ base: other.url, jar: browser.jar });
      // The request as a proxy in front of both servers sends it.
      const headers = { host: new URL(server.url).host };
      const { code = "" } = redirectParameters(await there.get(pathname + search, { headers }));
      expect((await party.exchange(code, request)).status).toBe(200);
    } finally {
      await other.remove();
    }
  });
} else {
  test("a second server on one SQLite file refuses to start and prints what to do", async () => {
    const port = await freePort();
    const { code, stdout, stderr } = await runProgram({ ...server.env, PORT: String(port) }, ["serve"]);
    expect(code).not.toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/Another server is running/);
    expect(stderr).not.toMatch(/\bat \S+ \(/);
  });

  test("the first server continues undisturbed", async () => {
    const browser = createBrowser({ base: server.url });
    await signIn(browser, party.request(), anna);
    await runProgram({ ...server.env, PORT: String(await freePort()) }, ["serve"]);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
    expect((await browser.get("/readyz")).status).toBe(200);
  });

  test("a killed server leaves nothing that prevents the next start", async () => {
    await server.kill();
    await server.start();
    expect((await createBrowser({ base: server.url }).get("/readyz")).status).toBe(200);
  });
}
