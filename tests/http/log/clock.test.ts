import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { appendAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { databaseOfRun } from "#tests/http/crash/command.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";

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

test("a server warns at its start when the latest audit event lies in the future, and not before", async () => {
  await startsSoFar(1);
  expect(await server.stop()).toBe(0);
  expect(server.output()).not.toContain("the clock is behind");
  await addEvent(new Date(Date.now() + 60 * 60_000));
  await server.start();
  await startsSoFar(2);
  const lines = server
    .output()
    .split("\n")
    .filter((line) => line.includes("the clock is behind"));
  expect(lines).toHaveLength(1);
  const { level, behindSeconds, msg } = JSON.parse(lines[0] ?? "");
  expect({ level, msg }).toEqual({
    level: 40,
    msg: "the clock is behind the latest audit event. Run: timedatectl set-ntp true; then: gatehouse doctor",
  });
  expect(behindSeconds).toBeGreaterThan(3500);
  expect(behindSeconds).toBeLessThanOrEqual(3600);
});

/** Waits until the log contains `count` starts; that line is the last of a start. */
async function startsSoFar(count: number): Promise<void> {
  await expect.poll(() => server.output().split('"msg":"serving"').length - 1, { timeout: 20_000 }).toBe(count);
}

/** Appends an event with this time, as if the clock had been ahead. */
async function addEvent(at: Date): Promise<void> {
  const url = database.env["DATABASE_URL"] ?? "";
  const store = await openStore(
    url.startsWith("sqlite:") ? { dialect: "sqlite", file: url.replace("sqlite:", "") } : { dialect: "postgres", url },
  );
  const about = { userId: null, clientId: null, address: "192.0.2.7", requestId: randomUUID(), detail: {} };
  await appendAuditEvent(store, { at, type: "sign-in.refused", outcome: "refused", ...about });
  await store.close();
}
