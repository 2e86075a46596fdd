import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { readConfig } from "#app/config/read.server.ts";
import { createBaseContext, systemClock } from "#app/context.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import { addClient, addUser, databaseOfRun, runProgram } from "#tests/http/crash/command.ts";
import { openForm } from "#tests/http/login/open-form.ts";
import { sendRaw } from "#tests/http/middleware/raw-client.ts";
import { followRedirects, open, signIn } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { freePort } from "#tests/support/free-port.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { type Metrics, movedSince, readMetrics, requestMetrics } from "./metrics-port.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const WRONG = "Wrong-Window-27-Oak";
const isSqlite = process.env.GATEHOUSE_TEST_DIALECT !== "postgres";

/** Values from requests, which must not become labels. */
const HOSTILE = ['hostile-name"} 1\n', "hostile-path", "hostile-query", "hostile-agent", "HOSTILEMETHOD"];

let server: ChildServer;
let database: Awaited<ReturnType<typeof databaseOfRun>>;
let party: RelyingParty;
let port: number;
let copies: string;
let before: Metrics;
let count = 0;
let anna: { id: string; username: string; password: string; displayName: string };

beforeAll(async () => {
  database = await databaseOfRun();
  port = await freePort();
  copies = mkdtempSync(join(tmpdir(), "gatehouse-copies-"));
  // Nothing listens there, so mails stay queued.
  const SMTP_URL = `smtp://127.0.0.1:${await freePort()}`;
  server = await startChildServer({
    env: { ...database.env, METRICS_PORT: String(port), BACKUP_DIR: copies, SMTP_URL },
  });
  party = createRelyingParty({ issuer: server.url, client: await addClient(server, "suite") });
});

afterAll(async () => {
  await server?.remove();
  await database?.remove();
  rmSync(copies, { recursive: true, force: true });
});

const newBrowser = () => createBrowser({ base: server.url });
const moved = async (name: string) => movedSince(before, await readMetrics(port), name);

async function addAnna() {
  count += 1;
  const typed = { username: `anna-${count}`, password: TEST_PASSWORD };
  anna = { ...typed, ...(await addUser(server, typed)), displayName: `Name of anna-${count}` };
}

describe("the metrics count what happened", () => {
  beforeEach(async () => {
    await addAnna();
    before = await readMetrics(port);
  });

  test("when a user signs in", async () => {
    codeOf(await signIn(newBrowser(), party.request(), anna));
    expect(await moved("gatehouse_sign_ins_total")).toEqual({ '{result="succeeded",method="password"}': 1 });
    expect(await moved("gatehouse_password_hash_seconds_count")).toEqual({ "": 1 });
    expect(await moved("gatehouse_password_hash_wait_seconds_count")).toEqual({ "": 1 });
    expect(await moved("gatehouse_lockouts_total")).toEqual({});
  });

  test("when a sign-in fails, and when a user name has to wait", async () => {
    const form = await openForm(newBrowser(), party.request().url);
    for (let tries = 0; tries < 10; tries += 1) await form.post({ username: anna.username, password: WRONG });
    expect((await form.post({ username: anna.username, password: anna.password })).status).toBe(429);
    expect(await moved("gatehouse_sign_ins_total")).toEqual({
      '{result="refused",method="password"}': 10,
      '{result="throttled",method="password"}': 1,
    });
    expect(await moved("gatehouse_lockouts_total")).toEqual({ '{area="sign_in"}': 1 });
    expect(await moved("gatehouse_events_total")).toMatchObject({
      '{event="sign-in.refused",outcome="refused"}': 10,
      '{event="sign-in.throttled",outcome="refused"}': 1,
    });
  });

  test("when a user enters a second factor, right and wrong", async () => {
    const code = await giveCode();
    const step = await openStep(newBrowser(), party.request().url, anna);
    const wrong = await step.post("/mfa/verify", { code: code === "000000" ? "111111" : "000000" });
    expect(wrong.status).toBe(400);
    const again = await openStep(newBrowser(), party.request().url, anna);
    codeOf(await followRedirects(again.browser, await again.post("/mfa/verify", { code })));
    expect(await moved("gatehouse_second_factors_total")).toEqual({
      '{kind="totp",result="refused"}': 1,
      '{kind="totp",result="accepted"}': 1,
    });
    expect(await moved("gatehouse_sign_ins_total")).toEqual({
      '{result="second_factor_required",method="password"}': 2,
      '{result="succeeded",method="password"}': 1,
    });
  });

  test("when a mail is queued, and a user requested a new password", async () => {
    await runProgram(server.env, ["user", "set", anna.username, "--email", "anna@office.example"]);
    const browser = newBrowser();
    const page = await open(browser, "/password-reset/request-form");
    await browser.submit(page, page.page().form("/password-reset/request"), { username: anna.username });
    await vi.waitFor(async () => expect((await readMetrics(port)).get("gatehouse_mails_waiting")).toBe(1), {
      timeout: 30_000,
    });
    expect(await moved("gatehouse_resets_total")).toEqual({ '{kind="password",step="requested"}': 1 });
    await vi.waitFor(
      async () => expect((await readMetrics(port)).get("gatehouse_mails_oldest_seconds")).toBeGreaterThan(0),
      { timeout: 30_000 },
    );
  });

  test("when a backup is made: its age becomes 0", async () => {
    writeFileSync(join(copies, "gatehouse-20260101T013000Z.sqlite"), "");
    const age = async () => (await readMetrics(port)).get("gatehouse_backup_age_seconds");
    if (!isSqlite) {
      expect(await age()).toBeUndefined();
      return;
    }
    expect(await age()).toBeGreaterThan(DAY_SECONDS);
    expect((await runProgram(server.env, ["backup"])).code).toBe(0);
    expect(await age()).toBeLessThan(DAY_SECONDS / 24);
  });

  test("for requests by method, route and class of status", async () => {
    await newBrowser().get("/healthz");
    await newBrowser().get("/login?login_challenge=x");
    await newBrowser().get("/manage/error/session-expired");
    await newBrowser().get("/.well-known/openid-configuration");
    const requests = await moved("gatehouse_request_seconds_count");
    expect(requests).toEqual({
      '{method="GET",route="/healthz",status="2xx"}': 1,
      '{method="GET",route="/login",status="4xx"}': 1,
      '{method="GET",route="/manage/error/:code",status="4xx"}': 1,
      '{method="GET",route="/.well-known/openid-configuration",status="2xx"}': 1,
    });
  });
});

async function giveCode(): Promise<string> {
  const read = readConfig(server.env);
  if (!read.ok) throw new Error("the environment of the server is wrong");
  const context = await createBaseContext({
    config: read.config,
    log: pino({ level: "silent" }),
    epochOf: takeIntoService,
  });
  try {
    return await (await giveTotp({ context, clock: systemClock }, anna)).code();
  } finally {
    await context.store.close();
  }
}

test("the state of the service is shown: keys, database, process", async () => {
  const metrics = await readMetrics(port);
  expect(metrics.get('gatehouse_database_bytes{file="main"}')).toBeGreaterThan(10_000);
  expect(metrics.has('gatehouse_database_bytes{file="wal"}')).toBe(isSqlite);
  for (const alg of ["RS256", "ES256"]) {
    expect(metrics.get(`gatehouse_signing_key_age_seconds{alg="${alg}"}`)).toBeLessThan(DAY_SECONDS);
  }
  expect(metrics.get("gatehouse_password_hash_waiting")).toBe(0);
  expect(metrics.get("gatehouse_password_hash_running")).toBe(0);
  expect(metrics.get('gatehouse_backups_total{result="failed"}')).toBe(0);
  expect(metrics.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
  expect(metrics.has("gatehouse_figures_unread_total")).toBe(false);
});

// Proves requirement 122.
test("no label contains user input: user names, addresses, paths, queries, methods", async () => {
  const [name = "", path = "", query = "", agent = "", method = ""] = HOSTILE;
  const browser = newBrowser();
  const form = await openForm(browser, party.request().url);
  await form.post({ username: name, password: name }, { headers: { "user-agent": agent } });
  for (const start of ["", "/assets", "/oauth2/auth", "/oauth2", "/manage/error", "/login", "/manage/mfa/keys"]) {
    await browser.get(`${start}/${path}?${query}=${query}`);
  }
  await browser.get(party.request({ client_id: "hostile-client" }).url);
  await party.exchange("hostile-code", party.request(), { grant_type: "hostile-grant" });
  await requestMetrics(Number(new URL(server.url).port), "/", { method });
  const { text } = await requestMetrics(port);
  const values = new Set([...text.matchAll(/="([^"]*)"/g)].map(([, value = ""]) => value));
  expect(text).not.toMatch(/hostile/i);
  expect(text).not.toContain(anna.username);
  expect(text).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
  for (const value of values) expect(value).toMatch(/^[\w.:/*+-]*$/);
  // The number of label values stays small over all tests of this file.
  expect(values.size).toBeLessThan(150);
});

describe("the metrics are served", () => {
  test("at one URL, and nothing else is", async () => {
    const { status, type } = await requestMetrics(port);
    expect([status, type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    for (const path of ["/", "/metrics/", "/metrics?x", "/healthz", "/login", "//metrics"]) {
      expect([path, (await requestMetrics(port, path)).status]).toEqual([path, 404]);
    }
    for (const method of ["POST", "DELETE", "OPTIONS"]) {
      expect([method, (await requestMetrics(port, "/metrics", { method })).status]).toEqual([method, 404]);
    }
  });

  test("not to a request with two Host lines", async () => {
    const host = `Host: 127.0.0.1:${port}`;
    const headers = [host, host, "Connection: close"];
    const response = await sendRaw(`http://127.0.0.1:${port}`, { line: "GET /metrics HTTP/1.1", headers });
    expect(response.status).toBe(400);
  });

  test("not by the public port", async () => {
    expect((await newBrowser().get("/metrics")).status).toBe(404);
  });

  test("to this machine alone: on 127.0.0.1, and no other address", async () => {
    // A server that listens on all interfaces would accept this loopback address too.
    await expect(requestMetrics(port, "/metrics", { host: "127.0.0.2" })).rejects.toThrow(/ECONNREFUSED|EADDRNOTAVAIL/);
  });
});

test("a port that is in use is reported, and ends the start like a PORT in use", async () => {
  const own = await databaseOfRun();
  try {
    const env = { ...server.env, ...own.env, PORT: String(await freePort()) };
    const ended = await runProgram(env, ["serve"]);
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining(`EADDRINUSE: address already in use`)]);
    expect(ended.stderr).toContain(`127.0.0.1:${port}`);
  } finally {
    await own.remove();
  }
});

test("the metrics port closes with the server", async () => {
  expect(await server.stop()).toBe(0);
  await expect(requestMetrics(port)).rejects.toThrow(/ECONNREFUSED/);
});
