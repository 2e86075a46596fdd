import { join } from "node:path";
import { type Finding, startServer } from "../bench.ts";
import { createUserCycle, gatehouseService, runCommand } from "../gatehouse.ts";
import type { Program } from "../measured-process.ts";
import type { Setting } from "../run.ts";
import { signIn } from "../sign-in-flow.ts";

const MOST_MS = 2000;

/** Measures the time from the end of a restore, including the start of the server, to the end of the first sign-in. */
export async function measureFirstSignIn({ folder, gatehouse, http }: Setting, program: Program): Promise<Finding> {
  const copy = join(folder, "copy.sqlite");
  await runCommand(gatehouse.env, ["backup", copy]);
  await runCommand(gatehouse.env, ["restore", copy, "--yes"]);
  const startedAt = performance.now();
  const { process, readyMs } = await startServer(http, gatehouse.url, program);
  await signIn(http, gatehouseService(gatehouse), createUserCycle(gatehouse)());
  const elapsedMs = performance.now() - startedAt;
  await process.stop();
  return {
    what: "first sign-in after a restore",
    unit: "ms",
    ours: elapsedMs,
    reference: null,
    ratio: null,
    target: { text: `≤ ${MOST_MS} ms`, met: elapsedMs <= MOST_MS },
    details: { readyMs },
  };
}
