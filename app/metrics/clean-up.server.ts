import { Histogram, type Registry } from "prom-client";
import type { RemovedBatch } from "#app/domain/instrumentation.server.ts";

/** In seconds. A batch usually takes a few milliseconds; 50 ms would delay other requests noticeably. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5];

/** Measures the removal of expired rows. Returns the listener for each batch. */
export function measureCleanUp(register: Registry): (batch: RemovedBatch) => void {
  const duration = new Histogram({
    name: "gatehouse_clean_up_held_seconds",
    help: "Duration of the removal of each batch of expired rows; on SQLite other work waits for it.",
    buckets: BUCKETS,
    registers: [register],
  });
  return ({ heldMs }) => duration.observe(heldMs / 1000);
}
