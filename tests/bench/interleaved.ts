import type { Bench, Finding } from "./bench.ts";
import { median, ratios } from "./statistics.ts";

/** Allowed difference between response times. */
const TOLERANCE = 0.05;

/** One of several operations whose response times must not differ. */
export type Kind = { what: string; perform: (bench: Bench, count: number) => Promise<Sample> };

export type Sample = { elapsedMs: number; processorMs: number };

/** Iterations before the measurement, so that the server runs compiled code. */
const WARM_UP_TIMES = 40;

/** Performs each kind `times` times in turn and compares the others with the first. */
export async function measureInterleaved(
  bench: Bench,
  kinds: readonly [Kind, ...Kind[]],
  times: number,
): Promise<Finding[]> {
  const [first, ...others] = kinds;
  const samples = new Map<Kind, Sample[]>(kinds.map((kind) => [kind, []]));
  for (let count = -WARM_UP_TIMES; count < times; count += 1) {
    // Rotates the order, so that no kind always follows the same one.
    for (let rotation = 0; rotation < kinds.length; rotation += 1) {
      const kind = kinds[(rotation + count + WARM_UP_TIMES) % kinds.length] ?? first;
      const sample = await kind.perform(bench, count + WARM_UP_TIMES);
      if (count >= 0) samples.get(kind)?.push(sample);
    }
  }
  const reference = { what: first.what, samples: samples.get(first) ?? [] };
  return others.map((kind) => compare({ what: kind.what, samples: samples.get(kind) ?? [] }, reference));
}

type Measured = { what: string; samples: readonly Sample[] };

function compare(ours: Measured, reference: Measured): Finding {
  const elapsed = ours.samples.map(({ elapsedMs }) => elapsedMs);
  const other = reference.samples.map(({ elapsedMs }) => elapsedMs);
  const ratio = median(elapsed) / median(other);
  return {
    what: ours.what,
    unit: "ms",
    ours: median(elapsed),
    reference: { what: reference.what, value: median(other) },
    ratio: { ...ratios(elapsed, other), median: ratio },
    target: { text: `1 ± ${TOLERANCE}`, met: Math.abs(ratio - 1) <= TOLERANCE },
    details: {
      samples: ours.samples.length,
      processorMs: {
        ours: median(ours.samples.map((one) => one.processorMs)),
        reference: median(reference.samples.map((one) => one.processorMs)),
      },
    },
  };
}
