import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { findSystemService } from "#app/cli/system-service.server.ts";

/** Creates a machine with systemd whose systemctl and journalctl are these scripts. Returns its root folder. */
function createMachine(scripts: { systemctl: string; journalctl?: string }): string {
  const root = mkdtempSync(join(tmpdir(), "gatehouse-systemd-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "run/systemd/system"), { recursive: true });
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(root, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(root, name), 0o755);
  }
  vi.stubEnv("PATH", `${root}:${process.env.PATH}`);
  return root;
}

/** Returns the service of a machine; it is given up after a tenth of a second. */
function serviceOf(root: string) {
  const service = findSystemService(root, { again: "gatehouse setup", readySeconds: 0.1 });
  if (service === null) throw new Error("there is no systemd");
  return service;
}

/** Serves these responses to /readyz, the last one again and again. Returns its address. */
async function serve(...responses: readonly (readonly [status: number, body: string])[]) {
  const left = [...responses];
  const server = createServer((_request, response) => {
    const [status, body] = (left.length > 1 ? left.shift() : left[0]) ?? [500, ""];
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { host: "0.0.0.0", port: (server.address() as AddressInfo).port };
}

const RUNNING = '[ "$1" != show ] || echo active';
const NOT_READY = [503, '{"status":"not ready","checks":{"writes":"failed","keys":"ok"}}'] as const;
const READY = [200, '{"status":"ready","checks":{"writes":"ok"}}'] as const;

test("a started service is ready as soon as its /readyz responds 200", async () => {
  const service = serviceOf(createMachine({ systemctl: RUNNING }));
  const patient = findSystemService(createMachine({ systemctl: RUNNING }), { again: "gatehouse setup" });
  expect(await service.start(await serve(READY))).toBeNull();
  expect(await patient?.start(await serve(NOT_READY, NOT_READY, READY))).toBeNull();
});

test("a service that is not ready in time is described by its failed checks and the end of its journal", async () => {
  const root = createMachine({ systemctl: RUNNING, journalctl: 'echo "$@"; echo "the disk is full"' });
  const address = await serve(NOT_READY);
  expect(await serviceOf(root).start(address)).toEqual([
    `The service was started, but is not ready after 0.1 s: http://127.0.0.1:${address.port}/readyz reports as failed: writes.`,
    "The end of its journal:",
    "  --unit=gatehouse --lines=20 --no-pager --quiet",
    "  the disk is full",
  ]);
});

test("another program at the service's address does not count as ready", async () => {
  const problem = await serviceOf(createMachine({ systemctl: RUNNING, journalctl: "exit 1" })).start(
    await serve([200, "It works!"]),
  );
  expect(problem).toEqual([expect.stringContaining("is served by another program (status 200)")]);
});

test("a service that ends is not waited for", async () => {
  const root = createMachine({ systemctl: '[ "$1" != show ] || echo failed', journalctl: "exit 1" });
  const service = findSystemService(root, { again: "gatehouse setup" });
  expect(await service?.start({ host: "::1", port: 1 })).toEqual(["The service was started and has ended."]);
});

test("a service that systemd does not start is a problem of the start, and a command that fails is an error", async () => {
  const root = createMachine({
    systemctl: '[ "$1" != start ] || { echo "no such unit" >&2; exit 5; }',
    journalctl: "",
  });
  expect(await serviceOf(root).start({ host: "127.0.0.1", port: 1 })).toEqual([
    "systemctl start gatehouse failed: no such unit",
  ]);
  expect(() => serviceOf(root).systemctl("start", "caddy")).toThrow("systemctl start caddy failed: no such unit");
});

test("without systemd there is no service", () => {
  expect(findSystemService("/nonexistent", { again: "gatehouse setup" })).toBeNull();
});
