import { afterAll, beforeAll, expect, test } from "vitest";
import { whoIsSignedIn } from "#tests/http/login/live-session.ts";
import { openForm } from "#tests/http/login/open-form.ts";
import { toldTo, walk } from "#tests/http/oidc/person.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { holdDatabase } from "./database-lock.ts";

/** A person waits no longer than this for an answer, even for the answer that nothing goes. */
const PATIENCE_MS = 15_000;

let server: TestServer;
let anna: TestUser;
let party: RelyingParty;

beforeAll(async () => {
  server = await startServer();
  anna = await server.users.create();
  party = createRelyingParty({ issuer: server.url, client: await server.clients.create({ firstParty: true }) });
});

afterAll(() => server?.close());

const typed = () => ({ username: anna.username, password: anna.password });

test("a database that another process holds for long: nobody is signed in, a page says so, and it passes", async () => {
  const browser = server.browser();
  const form = await openForm(browser, party.request().url);
  const letGo = await holdDatabase(server.context.config.database);
  try {
    const startedAt = performance.now();
    const answer = await form.post(typed());
    expect(performance.now() - startedAt).toBeLessThan(PATIENCE_MS);
    expect([answer.status, answer.location]).toEqual([500, null]);
    expect(answer.page().state()).toHaveProperty("server_error");
    expect(browser.jar.find("gatehouse_session")).toBeNull();
  } finally {
    await letGo();
  }
  expect(toldTo(await walk(browser, await form.post(typed())))).toHaveProperty("code");
  expect(await whoIsSignedIn(party, browser)).toBe(anna.id);
}, 60_000);

test("a database that another process holds for a moment: everybody waits for it, and is served", async () => {
  const browser = server.browser();
  const form = await openForm(browser, party.request().url);
  const letGo = await holdDatabase(server.context.config.database);
  const posting = form.post(typed());
  const probe = await server.browser().get("/healthz");
  expect(probe.status).toBe(200);
  await letGo();
  expect(toldTo(await walk(browser, await posting))).toHaveProperty("code");
});
