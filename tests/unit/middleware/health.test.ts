import { afterEach, describe, expect, it } from "vitest";
import { startStack, type TestStack } from "./test-stack.ts";

describe("health probes", () => {
  let stack: TestStack;
  afterEach(() => stack.close());

  it("/healthz responds while the process is alive", async () => {
    stack = await startStack({ readiness: [{ name: "database", isReady: async () => false }] });
    const { status, body } = await stack.send("/healthz");
    expect([status, JSON.parse(body)]).toEqual([200, { status: "ok", forwardedFor: "none" }]);
  });

  it.each([
    ["used", ["127.0.0.1"], "203.0.113.9"],
    ["missing", ["127.0.0.1"], null],
    ["ignored", ["10.0.0.1"], "203.0.113.9"],
    ["none", ["10.0.0.1"], null],
  ])("/healthz reports X-Forwarded-For as %s", async (forwardedFor, trustProxy, sent) => {
    stack = await startStack({ trustProxy });
    const { body } = await stack.send("/healthz", { headers: sent === null ? {} : { "x-forwarded-for": sent } });
    expect(JSON.parse(body)).toEqual({ status: "ok", forwardedFor });
  });

  it("/readyz is 200 when everything is in order", async () => {
    stack = await startStack({ readiness: [{ name: "database", isReady: async () => true }] });
    const { status, body } = await stack.send("/readyz");
    expect([status, JSON.parse(body)]).toEqual([200, { status: "ready", checks: { serving: "ok", database: "ok" } }]);
  });

  it("/readyz is 503 and names what is not, without telling why", async () => {
    const broken = () => Promise.reject(new Error("connect to postgres://anna:SECRET@db failed"));
    stack = await startStack({
      readiness: [
        { name: "database", isReady: broken },
        { name: "migrations", isReady: async () => false },
        { name: "keys", isReady: async () => true },
      ],
    });
    const { status, body } = await stack.send("/readyz");
    expect(status).toBe(503);
    expect(JSON.parse(body)).toEqual({
      status: "not ready",
      checks: { serving: "ok", database: "failed", migrations: "failed", keys: "ok" },
    });
  });

  it("/readyz reports an old backup as a warning", async () => {
    stack = await startStack({ readiness: [{ name: "backup", isReady: async () => false, onlyWarns: true }] });
    const { status, body } = await stack.send("/readyz");
    expect([status, JSON.parse(body)]).toEqual([
      200,
      { status: "ready", checks: { serving: "ok", backup: "warning" } },
    ]);
  });

  it("/readyz does not wait for ever for a database that hangs", async () => {
    stack = await startStack({ readiness: [{ name: "database", isReady: () => new Promise<boolean>(() => {}) }] });
    const startedAt = performance.now();
    expect((await stack.send("/readyz")).status).toBe(503);
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });
});
