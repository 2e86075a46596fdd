import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startChildServer } from "#tests/support/child-server.ts";
import { createInstallation, type OfflineInstallation, UNPRIVILEGED } from "./installation.ts";

/** Starts many processes. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let installation: OfflineInstallation;

beforeEach(async () => {
  installation = await createInstallation();
  onTestFinished(() => installation.remove());
});

// Proves requirement 125.
test("a running server whose audit file becomes unwritable is not ready, and is ready once that is repaired", async () => {
  const server = await startServerOn(installation);
  const audit = join(installation.data, "audit.jsonl");
  await server.stop();
  await server.start(UNPRIVILEGED);
  const ready = async () => {
    const response = await fetch(`${server.url}/readyz`);
    return [response.status, Object(await response.json()).checks.files];
  };
  expect(await ready()).toEqual([200, "ok"]);
  chmodSync(audit, 0o000);
  expect(await ready()).toEqual([503, "failed"]);
  chmodSync(audit, 0o600);
  expect(await ready()).toEqual([200, "ok"]);
});

async function startServerOn({ env: { DATABASE_URL = "", SECRET_KEYS = "" } }: OfflineInstallation) {
  const server = await startChildServer({ env: { DATABASE_URL, SECRET_KEYS } });
  onTestFinished(() => server.remove());
  return server;
}

test.each(["audit.jsonl", "gatehouse.epoch", "gatehouse.sqlite.lock"])(
  "%s, if it is not writable: the start ends with 3, names it and what to do, and doctor does the same",
  async (name) => {
    const path = join(installation.data, name);
    // Creates the lock file, too.
    await (await startServerOn(installation)).stop();
    chmodSync(path, 0o000);
    const { code, stderr } = await installation.run(["serve"], { through: UNPRIVILEGED });
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(`cannot write ${path} (EACCES).\nRun: chmod u+rw ${path}`),
    ]);
    const { stdout } = await installation.run(["doctor"], { through: UNPRIVILEGED });
    expect(stdout).toMatch(new RegExp(`^FAILED +file rights: .*${path}`, "m"));
  },
);

test("a file of another user: the start names its owner, and doctor of root finds it too", async () => {
  // Only root can create it.
  if (process.getuid?.() !== 0) return;
  const audit = join(installation.data, "audit.jsonl");
  chownSync(audit, 65534, 65534);
  const { code, stderr } = await installation.run(["serve"], { through: UNPRIVILEGED });
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining(`It belongs to uid 65534. Run as root: chown 0:${process.getgid?.()} ${audit}`),
  ]);
  const { stdout } = await installation.run(["doctor"]);
  expect(stdout).toMatch(
    new RegExp(`^FAILED +file rights: the service cannot write files of another user: ${audit}`, "m"),
  );
});
