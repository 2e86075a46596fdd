import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { HashPhase } from "#app/domain/audit/instrumentation.server.ts";

/** In seconds. A hash takes about 30 ms on a fast machine, a full queue a few seconds. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures the queue of password hashes. Returns the listener for each phase of a hash. */
export function measureHashing(register: Registry): (phase: HashPhase) => void {
  const registers = [register];
  const waiting = new Gauge({
    name: "gatehouse_password_hash_waiting",
    help: "Password hashes that are waiting for a processor core.",
    registers,
  });
  const running = new Gauge({
    name: "gatehouse_password_hash_running",
    help: "Password hashes that are being computed.",
    registers,
  });
  const waited = new Histogram({
    name: "gatehouse_password_hash_wait_seconds",
    help: "Waiting time of password hashes for a processor core.",
    buckets: [0, ...BUCKETS],
    registers,
  });
  const duration = new Histogram({
    name: "gatehouse_password_hash_seconds",
    help: "Duration of password hashes, without the waiting time.",
    buckets: BUCKETS,
    registers,
  });
  const refused = new Counter({
    name: "gatehouse_password_hash_refused_total",
    help: "Password hashes that were refused because the queue was full.",
    registers,
  });
  const since = new Map<object, number>();

  function elapsed(job: object): number {
    return (performance.now() - (since.get(job) ?? performance.now())) / 1000;
  }

  return ({ job, phase }) => {
    if (phase === "refused") {
      // Evicted from the queue in favour of another hash.
      if (since.delete(job)) waiting.dec();
      refused.inc();
      return;
    }
    if (phase === "waits") {
      waiting.inc();
      since.set(job, performance.now());
      return;
    }
    if (phase === "begins") {
      if (since.has(job)) waiting.dec();
      waited.observe(elapsed(job));
      running.inc();
      since.set(job, performance.now());
      return;
    }
    // The hash began before the metrics.
    if (!since.has(job)) return;
    running.dec();
    duration.observe(elapsed(job));
    since.delete(job);
  };
}
