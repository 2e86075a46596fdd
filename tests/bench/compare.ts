import { readFileSync } from "node:fs";
import type { Finding } from "./bench.ts";
import { type Circumstances, table } from "./report.ts";

/** A run as `--json` writes it. */
export type Run = Pick<Circumstances, "node" | "processor"> & { findings: readonly Pick<Finding, "what" | "ratio">[] };

/** Reads the file of an earlier run. Throws a TypeError if it is not one. */
export function readRun(file: string): Run {
  try {
    const run = JSON.parse(readFileSync(file, "utf8"));
    if (typeof run.node === "string" && typeof run.processor === "string" && Array.isArray(run.findings)) return run;
  } catch (error) {
    throw new TypeError(`Cannot read --compare ${file}: ${error instanceof Error ? error.message : error}`);
  }
  throw new TypeError(`Not a file that --json has written: ${file}`);
}

/** Returns why two runs cannot be compared, or null: ratios depend on the version of Node and on the processor. */
export function whyNotComparable(
  earlier: Pick<Run, "node" | "processor">,
  now: Pick<Run, "node" | "processor">,
): string | null {
  if (earlier.node !== now.node) {
    return `Not compared: the earlier run used Node ${earlier.node}, this one uses ${now.node}. Measure both with the same Node.`;
  }
  if (earlier.processor !== now.processor) {
    return `Not compared: the earlier run used the processor ${earlier.processor}, this one uses ${now.processor}. Measure both on the same machine.`;
  }
  return null;
}

/** Returns a table of the ratios of both runs. A measure that only one of them has shows a dash for the other. */
export function comparison(earlier: Run["findings"], now: Run["findings"]): string {
  const measures = new Set([...earlier, ...now].filter(({ ratio }) => ratio).map(({ what }) => what));
  const rows = [...measures].map((what) => [what, ratioOf(earlier, what), ratioOf(now, what)]);
  return table([["ratio to the reference", "earlier", "now"], ...rows]);
}

function ratioOf(findings: Run["findings"], what: string): string {
  return findings.find((finding) => finding.what === what)?.ratio?.median.toFixed(2) ?? "-";
}
