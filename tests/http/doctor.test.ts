import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openStore } from "#app/db/store.server.ts";
import { addUser, databaseOfRun, runHere, runProgram } from "#tests/http/crash/command.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { freePort } from "#tests/support/free-port.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { ROOT } from "#tests/support/source-tree.ts";

const report = z.object({
  ok: z.boolean(),
  findings: z.array(z.object({ check: z.string(), state: z.string(), found: z.string() })),
});

let server: ChildServer;
let database: Awaited<ReturnType<typeof databaseOfRun>>;

beforeAll(async () => {
  database = await databaseOfRun();
  server = await startChildServer({ env: database.env });
});

afterAll(async () => {
  await server?.remove();
  await database?.remove();
});

async function examine(env: Readonly<Record<string, string>> = {}, run: typeof runHere = runHere) {
  const { code, stdout } = await run({ ...server.env, ...env }, ["doctor", "--json"]);
  const { ok, findings } = report.parse(JSON.parse(stdout));
  expect(code).toBe(ok ? 0 : 1);
  return {
    ok,
    failed: findings.filter(({ state }) => state === "failed"),
    of: (name: string) => findings.find(({ check }) => check === name),
  };
}

/** Starts another HTTP server at an address, like a misconfigured proxy. */
async function serveInstead(status: number, headers: Record<string, string>, body: string): Promise<string> {
  const port = await freePort();
  const proxy = createServer((_request, response) => response.writeHead(status, headers).end(body)).listen(port);
  onTestFinished(() => void proxy.close());
  return `http://localhost:${port}`;
}

describe("the doctor beside a running server", () => {
  test("finds nothing that has to be put right", async () => {
    const { ok, failed, of } = await examine({}, runProgram);
    // The tests' PostgreSQL runs without fsync for speed, which the doctor reports.
    const unsafe = process.env.GATEHOUSE_TEST_DIALECT === "postgres" ? ["database settings"] : [];
    expect(failed.map(({ check }) => check)).toEqual(unsafe);
    expect(ok).toBe(unsafe.length === 0);
    for (const name of ["database", "server", "public address", "signing keys", "sealed secrets", "version of Node"]) {
      expect(of(name), name).toMatchObject({ state: "ok" });
    }
  });

  test.each([
    ["redirects to another address", 301, { location: "https://login.example/" }, "", "redirects to"],
    ["changes the Host header", 421, {}, "", "421"],
    [
      "returns a page of its own",
      200,
      { "content-type": "text/html" },
      "<h1>It works!</h1>",
      "without a discovery document",
    ],
    [
      "points to another installation",
      200,
      {},
      JSON.stringify({ issuer: "https://other.example", authorization_endpoint: "https://other.example/oauth2/auth" }),
      "is https://other.example",
    ],
  ])("finds a proxy that %s", async (_what, status, headers, body, said) => {
    const { of } = await examine({ ISSUER: await serveInstead(status, headers, body) });
    expect(of("public address")).toMatchObject({ state: "failed", found: expect.stringContaining(said) });
  });
});

test("the doctor applies no migration", async () => {
  const own = await databaseOfRun();
  onTestFinished(own.remove);
  const url = own.env["DATABASE_URL"] ?? "";
  const env = { ...server.env, ...own.env };
  expect(await runHere(env, ["group", "add", "north"])).toMatchObject({ code: 0 });
  const newest = "SELECT name FROM schema_migrations ORDER BY name DESC LIMIT 1";
  const [applied] = await executeOn(url, newest);
  await executeOn(url, `DELETE FROM schema_migrations WHERE name = '${applied?.name}'`);
  const { of } = await examine(own.env);
  expect(of("database")).toMatchObject({ state: "failed", found: expect.stringContaining(String(applied?.name)) });
  expect(await executeOn(url, newest)).not.toEqual([applied]);
});

/** Executes a statement on a database, and returns its rows. */
async function executeOn(url: string, statement: string): Promise<{ name: string }[]> {
  const store = await openStore(
    url.startsWith("sqlite:") ? { dialect: "sqlite", file: url.replace("sqlite:", "") } : { dialect: "postgres", url },
  );
  try {
    return z.array(z.object({ name: z.string() })).parse(await store.execute(statement));
  } finally {
    await store.close();
  }
}

describe("the doctor behind a proxy", () => {
  /** Starts a proxy that adds these headers and forwards to the server. */
  async function proxyTo(target: ChildServer, headers: Record<string, string>): Promise<string> {
    const port = await freePort();
    const proxy = createServer(async (request, response) => {
      const forwarded = await fetch(`${target.url}${request.url}`, { headers });
      response.writeHead(forwarded.status, { "content-type": "application/json" }).end(await forwarded.text());
    }).listen(port);
    onTestFinished(() => void proxy.close());
    return `http://localhost:${port}`;
  }

  const CLIENT = { "x-forwarded-for": "203.0.113.9" };

  test("finds that the proxy does not pass the client's address, and that it does", async () => {
    const own = await databaseOfRun();
    const trusting = await startChildServer({ env: { ...own.env, TRUST_PROXY: "127.0.0.1,::1" } });
    onTestFinished(async () => {
      await trusting.remove();
      await own.remove();
    });
    const TRUST_PROXY = "127.0.0.1";
    const silent = await examine({ ISSUER: await proxyTo(trusting, {}), TRUST_PROXY });
    expect(silent.of("client addresses")).toMatchObject({
      state: "failed",
      found: expect.stringContaining("does not pass X-Forwarded-For"),
    });
    const passing = await examine({ ISSUER: await proxyTo(trusting, CLIENT), TRUST_PROXY });
    expect(passing.of("client addresses")).toMatchObject({ state: "ok" });
  });

  test("finds a proxy that is not in TRUST_PROXY, and one that the server does not see", async () => {
    const TRUST_PROXY = "10.0.0.1";
    const untrusted = await examine({ ISSUER: await proxyTo(server, CLIENT), TRUST_PROXY });
    expect(untrusted.of("client addresses")).toMatchObject({
      state: "failed",
      found: expect.stringContaining("not in TRUST_PROXY"),
    });
    expect((await examine({ TRUST_PROXY })).of("client addresses")).toMatchObject({ state: "warning" });
  });

  test("does not claim to know, if /healthz is not served at the public address", async () => {
    const ISSUER = await serveInstead(404, {}, "");
    expect((await examine({ ISSUER, TRUST_PROXY: "127.0.0.1" })).of("client addresses")).toMatchObject({
      state: "skipped",
    });
  });
});

describe("a start under another host", () => {
  test("ends with 5 while security keys are bound to the older one; --accept starts anyway", async () => {
    const own = await databaseOfRun();
    const first = await startChildServer({ env: own.env });
    onTestFinished(async () => {
      await first.remove();
      await own.remove();
    });
    const anna = await addUser(first, { username: "anna", password: TEST_PASSWORD });
    await first.stop();
    await putKey(own.env["DATABASE_URL"] ?? "", anna.id);
    const moved = { ...first.env, ISSUER: first.url.replace("localhost", "login.localhost") };
    const refused = await runProgram(moved, ["serve"]);
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain("gatehouse doctor --plan");

    const accepted = spawn(process.execPath, [join(ROOT, "build/main.js"), "serve", "--accept"], {
      env: moved,
      stdio: "pipe",
    });
    onTestFinished(() => void accepted.kill("SIGKILL"));
    const [line] = await once(accepted.stderr, "data");
    expect(String(line)).not.toContain("error:");
    while (
      !(await fetch(`${first.url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await sleep(50);
    const ended = once(accepted, "close");
    accepted.kill("SIGTERM");
    await ended;
  });

  async function putKey(databaseUrl: string, userId: string) {
    const store = await openStore(
      databaseUrl.startsWith("sqlite:")
        ? { dialect: "sqlite", file: databaseUrl.replace("sqlite:", "") }
        : { dialect: "postgres", url: databaseUrl },
    );
    const facts = { name: "Key", publicKeyBase64url: "k", algorithm: -7, counter: 0, attestationFormat: "none" };
    const key = { ...facts, backupEligible: false, backedUp: false, createdAt: new Date("2026-01-01T00:00:00Z") };
    await store.q.insert(store.t.webauthnCredentials).values({ id: "key", userId, rpId: "localhost", ...key });
    await store.close();
  }
});
