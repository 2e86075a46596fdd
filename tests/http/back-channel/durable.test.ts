import { join } from "node:path";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { databaseOfRun } from "#tests/http/crash/command.ts";
import { obtainTokens, open } from "#tests/http/oidc/browser-steps.ts";
import { type Installation, startInstallation } from "#tests/http/restore/installation.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { freePort } from "#tests/support/free-port.ts";
import { type LogoutReceiver, startLogoutReceiver } from "#tests/support/logout-receiver.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";

vi.setConfig({ testTimeout: 120_000 });

const isPostgres = process.env.GATEHOUSE_TEST_DIALECT === "postgres";

let installation: Installation;
let database: Awaited<ReturnType<typeof databaseOfRun>> | null = null;
let receiver: LogoutReceiver;
let metricsPort = 0;
let count = 0;

beforeAll(async () => {
  database = isPostgres ? await databaseOfRun() : null;
  metricsPort = await freePort();
  installation = await startInstallation({ ...database?.env, METRICS_PORT: String(metricsPort) });
  receiver = await startLogoutReceiver();
  await installation.command("client", "set", "suite", "--backchannel-logout-uri", receiver.uri);
}, 120_000);

afterAll(async () => {
  await installation?.close();
  await database?.remove();
  await receiver?.close();
});

beforeEach(() => receiver.clear());

/** Creates a user who is signed in; `session` is the application's `sub` and `sid`. */
async function signedIn() {
  count += 1;
  const username = `anna-${count}`;
  const { id } = await installation.addUser(username);
  const browser = createBrowser({ base: installation.server.url });
  const user = { id, username, password: TEST_PASSWORD, displayName: "" };
  const { idToken } = await obtainTokens(browser, installation.party, installation.party.request(), user);
  return { username, browser, session: { sub: id, sid: decodeJwt(idToken).sid } };
}

async function signOut({ browser }: Awaited<ReturnType<typeof signedIn>>) {
  const page = await open(browser, installation.party.logoutUrl());
  await browser.submit(page, page.page().form("/logout/accept"));
}

// Proves requirement 132.
test("user block, user end-sessions and user remove beside the server log the user out of the application", async () => {
  const commands = [
    (name: string) => ["user", "block", name],
    (name: string) => ["user", "end-sessions", name],
    (name: string) => ["user", "remove", name, "--yes"],
  ];
  const users: Awaited<ReturnType<typeof signedIn>>[] = [];
  for (const _ of commands) users.push(await signedIn());
  await Promise.all(users.map(({ username }, index) => installation.command(...(commands[index]?.(username) ?? []))));
  const tokens = await receiver.receive(users.length);
  expect(tokens).toHaveLength(users.length);
  for (const { session } of users) expect.soft(tokens).toContainEqual(expect.objectContaining(session));
});

test("a logout that no running server could deliver is sent when the server is back", async () => {
  const { username, session } = await signedIn();
  await installation.server.kill();
  await installation.command("user", "block", username);
  await installation.server.start();
  expect(await receiver.receive(1)).toMatchObject([session]);
});

// Proves requirement 132.
test("a server killed between the sign-out and the delivery delivers after its restart", async () => {
  const person = await signedIn();
  receiver.respondWith("nothing");
  await signOut(person);
  await receiver.receive(1);
  await installation.server.kill();
  receiver.clear();
  await installation.administer(async ({ store }) => {
    // Releases the killed process's claim, which otherwise expires after a minute.
    await store.q.update(store.t.backchannelLogouts).set({ claimedUntil: null });
  });
  await installation.server.start();
  expect(await receiver.receive(1)).toMatchObject([person.session]);
});

test("a logout that the application rejects is reported by doctor, the audit trail and the metrics", async () => {
  receiver.respondWith(400);
  const { username, session } = await signedIn();
  await installation.command("user", "block", username);
  await receiver.receive(1);
  const event = { type: "backchannel-logout.failed", userId: session.sub, detail: { reason: "status 400" } };
  await vi.waitFor(async () => expect(await auditEvents()).toContainEqual(expect.objectContaining(event)), 20_000);
  const { findings } = Object(JSON.parse((await installation.attempt(["doctor", "--json"])).stdout));
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: "back-channel logouts",
      state: "warning",
      found: "0 are waiting, the oldest for 0 minutes; 1 failed in the last 24 hours",
    }),
  );
  const figures = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(figures).toMatch(/^gatehouse_backchannel_logouts_waiting 0$/m);
  expect(figures).toMatch(/^gatehouse_backchannel_logouts_oldest_seconds 0$/m);
  expect(figures).toMatch(/^gatehouse_backchannel_logouts_failed 1$/m);
  expect(figures).toMatch(/^gatehouse_events_total\{event="backchannel-logout.failed",outcome="failed"\} 1$/m);
  expect(figures).toMatch(/^gatehouse_events_total\{event="backchannel-logout.sent",outcome="ok"\} \d+$/m);
});

function auditEvents() {
  return installation.administer(({ store }) => store.q.select().from(store.t.auditEvents));
}

/** Restores an older state of the database while no server runs. */
const bringBackOlderState = isPostgres
  ? () => installation.attempt(["restore", "--end-access", "--yes"])
  : () => installation.attempt(["restore", join(installation.folder, "copy.sqlite"), "--yes"]);

test("restoring an older database also ends its sessions at the applications", async () => {
  const { session } = await signedIn();
  if (!isPostgres) await installation.command("backup", join(installation.folder, "copy.sqlite"));
  await installation.server.stop();
  expect(await bringBackOlderState()).toMatchObject({ code: 0 });
  await installation.server.start();
  await vi.waitFor(() => expect(receiver.tokens()).toContainEqual(expect.objectContaining(session)), 20_000);
});
