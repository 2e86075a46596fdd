import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, it, onTestFinished } from "vitest";
import { instrumentation } from "#app/domain/audit/instrumentation.server.ts";
import { createConcurrencyLimit } from "#app/domain/password/concurrency-limit.server.ts";
import { countEvents } from "#app/metrics/events.server.ts";
import { measureHashing } from "#app/metrics/hashing.server.ts";
import { startMetrics } from "#app/metrics/start.server.ts";
import { showState } from "#app/metrics/state.server.ts";
import { parseMetrics, readMetrics } from "#tests/http/metrics/metrics-port.ts";
import { freePort } from "#tests/support/free-port.ts";
import { createStackContext } from "#tests/unit/middleware/context.ts";

async function createContext() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-figures-"));
  const context = await createStackContext({
    ...{ folder, issuer: "http://localhost:9", port: 9, trustProxy: [] },
    log: pino({ level: "silent" }),
    handle: async () => {},
  });
  onTestFinished(async () => {
    await context.store.close();
    rmSync(folder, { recursive: true });
  });
  return context;
}

const read = async (register: Registry) => parseMetrics(await register.metrics());

describe("the queue of password hashes", () => {
  it("shows what runs, what waits and what was refused, and is empty again at the end", async () => {
    const register = new Registry();
    instrumentation.on("password hash", measureHashing(register));
    onTestFinished(() => void instrumentation.removeAllListeners());
    const limit = createConcurrencyLimit({ concurrency: 1, queueLimit: 1 });
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const first = limit(() => ended);
    const second = limit(async () => {});
    await expect(limit(async () => {})).rejects.toThrow();
    const busy = await read(register);
    expect(busy.get("gatehouse_password_hash_running")).toBe(1);
    expect(busy.get("gatehouse_password_hash_waiting")).toBe(1);
    expect(busy.get("gatehouse_password_hash_refused_total")).toBe(1);
    end();
    await Promise.all([first, second]);
    const idle = await read(register);
    expect(idle.get("gatehouse_password_hash_running")).toBe(0);
    expect(idle.get("gatehouse_password_hash_waiting")).toBe(0);
    expect(idle.get("gatehouse_password_hash_seconds_count")).toBe(2);
    expect(idle.get('gatehouse_password_hash_wait_seconds_bucket{le="0"}')).toBe(1);
  });
});

describe("events", () => {
  it("become labels from our lists, with any reason", async () => {
    const register = new Registry();
    const count = countEvents(register);
    for (const reason of ["google: state", "google", "evil: x", 'x"} 1', null]) {
      count({ type: "provider.refused", outcome: "refused", reason });
      count({ type: "factor.refused", outcome: "refused", reason });
      count({ type: "sign-in.succeeded", outcome: "ok", reason });
    }
    const names = [...(await read(register)).keys()];
    expect(names.sort()).toEqual([
      'gatehouse_events_total{event="factor.refused",outcome="refused"}',
      'gatehouse_events_total{event="provider.refused",outcome="refused"}',
      'gatehouse_events_total{event="sign-in.succeeded",outcome="ok"}',
      'gatehouse_provider_refusals_total{provider="google"}',
      'gatehouse_provider_refusals_total{provider="other"}',
      'gatehouse_second_factors_total{kind="other",result="refused"}',
      'gatehouse_sign_ins_total{result="succeeded",method="other"}',
    ]);
  });
});

describe("a figure that cannot be read", () => {
  it("is left out and counted, and keeps no other one away", async () => {
    const context = await createContext();
    const register = new Registry();
    // The database of this context has no tables: metrics that read it fail, metrics that read the disk do not.
    showState(register, context);
    await read(register);
    const names = await read(register);
    expect(names.get('gatehouse_database_bytes{file="main"}')).toBeGreaterThanOrEqual(0);
    expect(names.has("gatehouse_mails_waiting")).toBe(false);
    expect(names.get('gatehouse_figures_unread_total{figure="gatehouse_mails_waiting"}')).toBeGreaterThan(0);
  });

  it("does not block for long", async () => {
    const context = await createContext();
    const register = new Registry();
    const never: typeof context.store.execute = () => new Promise(() => {});
    const target = { dialect: "postgres", url: "postgres://localhost/hangs" } as const;
    showState(register, {
      ...context,
      config: { ...context.config, database: target },
      store: { ...context.store, execute: never },
    });
    const startedAt = performance.now();
    expect((await read(register)).has('gatehouse_database_bytes{file="main"}')).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});

describe("the figures of a server", () => {
  it("count events, backups, mails and clean-ups while they are served, and nothing afterwards", async () => {
    const port = await freePort();
    const metrics = await startMetrics(await createContext(), port);
    instrumentation.emit("backup", { ok: false });
    instrumentation.emit("clean-up batch", { rows: 200, heldMs: 4 });
    instrumentation.emit("unreadable client address");
    instrumentation.emit("mail attempt", { result: "expired secret" });
    instrumentation.emit("audit event", { type: "sign-out", outcome: "ok", reason: null });
    const names = await readMetrics(port);
    expect(names.get('gatehouse_backups_total{result="failed"}')).toBe(1);
    expect(names.get('gatehouse_backups_total{result="ok"}')).toBe(0);
    expect(names.get("gatehouse_unreadable_client_addresses_total")).toBe(1);
    expect(names.get('gatehouse_mail_attempts_total{result="expired secret"}')).toBe(1);
    expect(names.get('gatehouse_mail_attempts_total{result="sent"}')).toBe(0);
    expect(names.get('gatehouse_clean_up_held_seconds_bucket{le="0.0025"}')).toBe(0);
    expect(names.get('gatehouse_clean_up_held_seconds_bucket{le="0.005"}')).toBe(1);
    expect(names.get('gatehouse_events_total{event="sign-out",outcome="ok"}')).toBe(1);
    await metrics.close();
    await expect(readMetrics(port)).rejects.toThrow(/ECONNREFUSED/);
    expect(instrumentation.eventNames()).toEqual([]);
  });
});
