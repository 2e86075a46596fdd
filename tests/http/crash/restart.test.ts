import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { openForm, stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, signIn } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { addClient, addUser, databaseOfRun } from "./command.ts";

const WRONG = "Wrong-Window-27-Oak";

let server: ChildServer;
let party: RelyingParty;
let database: Awaited<ReturnType<typeof databaseOfRun>>;
let anna: { id: string; username: string; password: string; displayName: string };
let count = 0;

beforeAll(async () => {
  database = await databaseOfRun();
  server = await startChildServer({ env: database.env });
  party = createRelyingParty({ issuer: server.url, client: await addClient(server, "suite") });
}, 60_000);

afterAll(async () => {
  await server?.remove();
  await database?.remove();
});

beforeEach(async () => {
  count += 1;
  const typed = { username: `anna-${count}`, password: TEST_PASSWORD };
  anna = { ...typed, ...(await addUser(server, typed)), displayName: `Name of anna-${count}` };
});

const newBrowser = () => createBrowser({ base: server.url });

async function restart() {
  expect(await server.stop()).toBe(0);
  await server.start();
}

describe("a restart", () => {
  test("signs no user out", async () => {
    const browser = newBrowser();
    await signIn(browser, party.request(), anna);
    await restart();
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("keeps open pages working", async () => {
    const form = await openForm(newBrowser(), party.request().url);
    await restart();
    const response = await form.post({ username: anna.username, password: anna.password });
    expect(redirectParameters(await followRedirects(form.browser, response))).toHaveProperty("code");
  });

  // Proves requirement 14.
  test("keeps the failure counters: a throttled user name stays throttled", async () => {
    const form = await openForm(newBrowser(), party.request().url);
    for (let tries = 0; tries < 10; tries += 1) {
      expect((await form.post({ username: anna.username, password: WRONG })).status).toBe(401);
    }
    expect((await form.post({ username: anna.username, password: WRONG })).status).toBe(429);
    await restart();
    const response = await form.post({ username: anna.username, password: anna.password });
    expect([response.status, stateOf(response).error]).toEqual([429, "throttled"]);
  });

  test("keeps the known browsers", async () => {
    const knownBrowser = newBrowser();
    await signIn(knownBrowser, party.request(), anna);
    await restart();
    const unknownBrowserForm = await openForm(newBrowser(), party.request().url);
    for (let tries = 0; tries < 10; tries += 1)
      await unknownBrowserForm.post({ username: anna.username, password: WRONG });
    const form = await openForm(knownBrowser, party.request({ prompt: "login" }).url);
    expect((await form.post({ username: anna.username, password: anna.password })).status).toBe(303);
  });
});
