import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, it, onTestFinished } from "vitest";
import { tellEvent } from "#app/domain/audit/channel.server.ts";
import { tellBackup } from "#app/domain/backup/channel.server.ts";
import { tellBatch } from "#app/domain/clean-up/channel.server.ts";
import { createConcurrencyLimit } from "#app/domain/password/concurrency-limit.server.ts";
import { HASH_CHANNEL } from "#app/domain/password/hash-channel.server.ts";
import { countEvents } from "#app/metrics/events.server.ts";
import { measureHashing } from "#app/metrics/hashing.server.ts";
import { startMetrics } from "#app/metrics/start.server.ts";
import { showState } from "#app/metrics/state.server.ts";
import { figuresOf, readFigures } from "#tests/http/metrics/figures.ts";
import { freePort } from "#tests/support/free-port.ts";
import { createEdgeContext } from "#tests/unit/middleware/context.ts";

async function createContext() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-figures-"));
  const context = await createEdgeContext({
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

const read = async (register: Registry) => readFigures(await register.metrics());

describe("the queue of password hashes", () => {
  it("shows what runs, what waits and what was refused, and is empty again at the end", async () => {
    const register = new Registry();
    const hear = measureHashing(register);
    subscribe(HASH_CHANNEL, hear);
    onTestFinished(() => void unsubscribe(HASH_CHANNEL, hear));
    const inLane = createConcurrencyLimit({ lanes: 1, queueLimit: 1 });
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const first = inLane(() => ended);
    const second = inLane(async () => {});
    await expect(inLane(async () => {})).rejects.toThrow();
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
  it("become labels from lists of ours, whatever they are told with", async () => {
    const register = new Registry();
    const hear = countEvents(register);
    for (const reason of ["google: state", "google", "evil: x", 'x"} 1', null]) {
      hear({ type: "provider.refused", outcome: "refused", reason });
      hear({ type: "factor.refused", outcome: "refused", reason });
      hear({ type: "sign-in.succeeded", outcome: "ok", reason });
    }
    for (const nonsense of [null, "x", {}, { type: "constructor", outcome: "ok", reason: null }, { type: 1 }]) {
      hear(nonsense);
    }
    const figures = [...(await read(register)).keys()];
    expect(figures.sort()).toEqual([
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
    const figures = await read(register);
    expect(figures.get('gatehouse_database_bytes{file="main"}')).toBeGreaterThanOrEqual(0);
    expect(figures.has("gatehouse_mails_waiting")).toBe(false);
    expect(figures.get('gatehouse_figures_unread_total{figure="gatehouse_mails_waiting"}')).toBeGreaterThan(0);
  });

  it("keeps nobody waiting for long", async () => {
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
  it("hear of events, backups and clean-ups while they are served, and of nothing afterwards", async () => {
    const port = await freePort();
    const metrics = await startMetrics(await createContext(), port);
    tellBackup({ ok: false });
    tellBatch({ rows: 200, heldMs: 4 });
    tellEvent({ type: "sign-out", outcome: "ok" });
    const figures = await figuresOf(port);
    expect(figures.get('gatehouse_backups_total{result="failed"}')).toBe(1);
    expect(figures.get('gatehouse_backups_total{result="ok"}')).toBe(0);
    expect(figures.get('gatehouse_clean_up_held_seconds_bucket{le="0.0025"}')).toBe(0);
    expect(figures.get('gatehouse_clean_up_held_seconds_bucket{le="0.005"}')).toBe(1);
    expect(figures.get('gatehouse_events_total{event="sign-out",outcome="ok"}')).toBe(1);
    await metrics.close();
    await expect(figuresOf(port)).rejects.toThrow(/ECONNREFUSED/);
    tellEvent({ type: "sign-out", outcome: "ok" });
  });
});
