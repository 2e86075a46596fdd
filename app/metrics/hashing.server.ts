import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { z } from "zod";

const hashSchema = z.object({
  job: z.custom<object>((job) => typeof job === "function" || (typeof job === "object" && job !== null)),
  phase: z.enum(["waits", "begins", "ends", "refused"]),
});

/** In seconds. A hash takes about 30 ms on a fast machine, a full queue a few seconds. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures the queue of password hashes. Returns the channel's subscriber, which ignores malformed messages. */
export function measureHashing(register: Registry): (message: unknown) => void {
  const registers = [register];
  const waiting = new Gauge({
    name: "gatehouse_password_hash_waiting",
    help: "Password hashes that wait for a free processor core now.",
    registers,
  });
  const running = new Gauge({
    name: "gatehouse_password_hash_running",
    help: "Password hashes that are computed now.",
    registers,
  });
  const waited = new Histogram({
    name: "gatehouse_password_hash_wait_seconds",
    help: "How long password hashes waited for a free processor core.",
    buckets: [0, ...BUCKETS],
    registers,
  });
  const duration = new Histogram({
    name: "gatehouse_password_hash_seconds",
    help: "How long password hashes took, without the waiting.",
    buckets: BUCKETS,
    registers,
  });
  const refused = new Counter({
    name: "gatehouse_password_hash_refused_total",
    help: "Password hashes that were refused because too many waited already.",
    registers,
  });
  const since = new Map<object, number>();

  function elapsed(job: object): number {
    return (performance.now() - (since.get(job) ?? performance.now())) / 1000;
  }

  return (message) => {
    const { job, phase } = hashSchema.safeParse(message).data ?? {};
    if (!job || !phase) return;
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
    // The hash began before the subscription.
    if (!since.has(job)) return;
    running.dec();
    duration.observe(elapsed(job));
    since.delete(job);
  };
}
