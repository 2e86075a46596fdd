import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { dirname } from "node:path";
import type { Finding } from "./bench.ts";
import type { Spread } from "./statistics.ts";

/** Circumstances of a run; with a high load the results are unreliable. */
export type Circumstances = {
  node: string;
  processor: string;
  cores: number;
  quick: boolean;
  hash: string;
  startedAt: string;
  loadBefore: number;
  loadAfter: number;
};

/** Returns the circumstances before the measurement. */
export function circumstances({ quick, hash }: { quick: boolean; hash: string }): Circumstances {
  const processors = cpus();
  return {
    node: process.version,
    processor: processors[0]?.model ?? "unknown",
    cores: processors.length,
    quick,
    hash,
    startedAt: new Date().toISOString(),
    loadBefore: currentLoad(),
    loadAfter: currentLoad(),
  };
}

/** Returns the load average of the last minute. */
export function currentLoad(): number {
  return loadavg()[0] ?? 0;
}

/** Prints the findings as a table. */
export function printReport(where: Circumstances, findings: readonly Finding[]): void {
  const rows = findings.map((finding) => [
    finding.what,
    `${formatNumber(finding.ours)} ${finding.unit}`.trim(),
    finding.reference ? `${formatNumber(finding.reference.value)}  ${finding.reference.what}` : "",
    finding.ratio ? ratioText(finding.ratio) : "",
    finding.target ? `${finding.target.text}  ${finding.target.met ? "met" : "MISSED"}` : "",
  ]);
  console.log(table([["measure", "Gatehouse", "reference", "ratio  (half of the rounds)", "target"], ...rows]));
  console.log(`\n${where.cores} cores, ${where.processor}, Node ${where.node}, ${where.hash}`);
  console.log(
    `load of the machine: ${where.loadBefore.toFixed(1)} before, ${where.loadAfter.toFixed(1)} after${warning(where)}`,
  );
}

function ratioText({ median, low, high }: Spread): string {
  return `${median.toFixed(2)}  (${low.toFixed(2)}-${high.toFixed(2)})`;
}

/** Returns a warning if the load before the run was high. The benchmark itself causes a load of about two. */
function warning({ loadBefore, cores }: Circumstances): string {
  return loadBefore > cores / 2 ? "; others were busy on it: believe the ratios, not the figures" : "";
}

/** Writes all results as JSON. */
export function writeReport(file: string, where: Circumstances, findings: readonly Finding[]): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...where, findings }, null, 2)}\n`);
}

function formatNumber(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

/** Returns rows as lines with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
