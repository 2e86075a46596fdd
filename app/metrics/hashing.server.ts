import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { z } from "zod";

const toldHash = z.object({
  job: z.custom<object>((job) => typeof job === "function" || (typeof job === "object" && job !== null)),
  phase: z.enum(["waits", "begins", "ends", "refused"]),
});

/** A hash takes some 30 ms on a quick machine; a full queue of them, a few seconds. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures the queue of the password hashes. Answers what hears of them; it never throws, whatever it is told. */
export function measureHashing(register: Registry): (told: unknown) => void {
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
  const took = new Histogram({
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

  return (told) => {
    const { job, phase } = toldHash.safeParse(told).data ?? {};
    if (!job || !phase) return;
    if (phase === "refused") {
      // Refused while it waited, in favour of another one.
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
    // One that began before anybody listened has no beginning.
    if (!since.has(job)) return;
    running.dec();
    took.observe(elapsed(job));
    since.delete(job);
  };
}
