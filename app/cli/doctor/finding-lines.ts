import type { Finding } from "./check.server.ts";

const MARKS = { ok: "ok", warning: "warning", failed: "FAILED", skipped: "-" } as const satisfies Record<
  Finding["state"],
  string
>;
const MARK_WIDTH = 9;

/** Formats a result, with its solution in a second line. */
export function findingLines({ check, state, found, fix }: Finding): string[] {
  const line = `${MARKS[state].padEnd(MARK_WIDTH)}${check}: ${found}`;
  return fix === null ? [line] : [line, `${" ".repeat(MARK_WIDTH)}-> ${fix}`];
}

/** Counts the results by state. */
export function countLine(findings: readonly Finding[]): string {
  const count = (wanted: Finding["state"]) => findings.filter(({ state }) => state === wanted).length;
  return `${count("ok")} ok, ${count("warning")} warnings, ${count("failed")} failed, ${count("skipped")} not applicable.`;
}
