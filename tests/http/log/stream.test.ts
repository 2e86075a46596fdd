import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { databaseOfRun } from "#tests/http/crash/command.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { ROOT } from "#tests/support/source-tree.ts";

/** The engine prints this once on a Node that is no LTS, such as 26.10. */
const OF_THE_ENGINE = /^oidc-provider WARNING: Unsupported runtime\./;

let server: ChildServer;
let database: Awaited<ReturnType<typeof databaseOfRun>>;

beforeAll(async () => {
  database = await databaseOfRun();
  server = await startChildServer({ env: database.env });
}, 120_000);

afterAll(async () => {
  await server?.remove();
  await database?.remove();
});

// Proves requirement 121.
test("every line that a server prints is an object of JSON with level, time (UTC) and message", async () => {
  await fetch(`${server.url}/login?login_challenge=x%0A%1b`);
  await fetch(`${server.url}/nowhere%0A`);
  expect(await server.stop()).toBe(0);
  const lines = server
    .output()
    .trimEnd()
    .split("\n")
    .filter((line) => !OF_THE_ENGINE.test(line));
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject({
      level: expect.any(Number),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      msg: expect.any(String),
    });
  }
  await server.start();
});

// Proves requirement 125.
test("a log on a full disk does not prevent a sign-in", async () => {
  await server.stop();
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, [join(ROOT, "build/main.js"), "serve"], {
    env: server.env,
    stdio: ["ignore", "ignore", full],
  });
  closeSync(full);
  onTestFinished(() => end(child));
  const status = async () => {
    const response = await fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
    return response?.status;
  };
  await expect.poll(status, { timeout: 60_000 }).toBe(200);
  for (let count = 0; count < 5; count += 1) {
    expect((await fetch(`${server.url}/login`)).status).toBe(400);
  }
  expect(await status()).toBe(200);
  const ended = once(child, "exit");
  child.kill();
  expect(await ended).toEqual([0, null]);
}, 120_000);

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
