import { setTimeout as sleep } from "node:timers/promises";
import type { Finding, Server } from "../bench.ts";

const MEGABYTE = 1_000_000;
const SETTLE_MS = 2000;

/** Measures the memory of an idle server. */
export async function measureMemory(server: Server, when: string, mostMegabytes: number): Promise<Finding> {
  await sleep(SETTLE_MS);
  const megabytes = (await server.process.memoryBytes()) / MEGABYTE;
  return {
    what: `memory (RSS) ${when}`,
    unit: "MB",
    ours: megabytes,
    reference: null,
    ratio: null,
    target: { text: `≤ ${mostMegabytes} MB`, met: megabytes <= mostMegabytes },
    details: { peakMegabytes: (await server.process.peakMemoryBytes()) / MEGABYTE },
  };
}
