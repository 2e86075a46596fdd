import { Histogram, type Registry } from "prom-client";
import { z } from "zod";

const batchSchema = z.object({ heldMs: z.number() });

/** In seconds. A batch is sized to take about 5 ms; 50 ms would delay other requests noticeably. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5];

/** Measures the removal of expired rows. Returns the channel's subscriber, which ignores malformed messages. */
export function measureCleanUp(register: Registry): (message: unknown) => void {
  const duration = new Histogram({
    name: "gatehouse_clean_up_held_seconds",
    help: "For how long each batch of rows that have run out kept the others from the database while it was removed.",
    buckets: BUCKETS,
    registers: [register],
  });
  return (message) => {
    const batch = batchSchema.safeParse(message).data;
    if (batch) duration.observe(batch.heldMs / 1000);
  };
}
