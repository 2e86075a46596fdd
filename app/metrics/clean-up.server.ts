import { Histogram, type Registry } from "prom-client";
import { z } from "zod";

const toldBatch = z.object({ heldMs: z.number() });

/** A batch is made to take some 5 ms; what takes 50 ms somebody notices. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5];

/** Measures the removal of what has run out. Answers what hears of it; it never throws, whatever it is told. */
export function measureCleanUp(register: Registry): (told: unknown) => void {
  const held = new Histogram({
    name: "gatehouse_clean_up_held_seconds",
    help: "For how long each batch of rows that have run out kept the others from the database while it was removed.",
    buckets: BUCKETS,
    registers: [register],
  });
  return (told) => {
    const batch = toldBatch.safeParse(told).data;
    if (batch) held.observe(batch.heldMs / 1000);
  };
}
