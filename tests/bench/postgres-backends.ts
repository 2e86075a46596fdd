import { readFileSync } from "node:fs";

/** Selects the ids of the processes that serve the product's connections to this database. */
export const BACKENDS_SQL =
  "SELECT pid FROM pg_stat_activity WHERE application_name = 'gatehouse' AND datname = current_database()";

/** Returns the processor time of a process on this machine so far, in milliseconds: Linux counts it in nanoseconds. */
export function processorMsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}
