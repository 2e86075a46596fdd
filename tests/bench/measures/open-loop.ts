import type { Bench, Finding } from "../bench.ts";
import { createHttpClient } from "../http-client.ts";
import { type PacedRun, ratePerSecond, runPaced } from "../load.ts";
import { signIn } from "../sign-in-flow.ts";
import { quantile } from "../statistics.ts";

const HALF_LOAD_MS = 60;
const LEAST_GOODPUT = 0.9;
const CONNECTIONS = 1000;

/** Sign-ins that take longer are not counted: their users have given up. */
const PATIENCE_MS = 10_000;

/**
 * Measures whole sign-ins that arrive at a fixed rate, whether earlier ones are finished or not: response times at 50 %
 * and 90 % of the capacity, and the share of the capacity that users get at 150 %.
 */
export async function measureOpenLoop(bench: Bench): Promise<Finding[]> {
  const { options, service, nextUser } = bench;
  const seconds = options.effort.loadSeconds * 5;
  // Enough for every sign-in that has arrived: the server, not the pool of the client, decides who waits.
  const http = createHttpClient(CONNECTIONS);
  const work = () => signIn(http, service, nextUser());
  const capacity = await ratePerSecond({ clients: options.clients, seconds }, work);
  const findings: Finding[] = [];
  for (const share of [0.5, 0.9]) {
    const { runs } = await runPaced({ perSecond: share * capacity, seconds }, work);
    const p99 = quantile(runs.map(msOf), 0.99);
    findings.push({
      what: `sign-in at ${share * 100} % of the capacity, p99`,
      unit: "ms",
      ours: p99,
      reference: null,
      ratio: null,
      target: share === 0.5 ? { text: `≤ ${HALF_LOAD_MS} ms`, met: p99 <= HALF_LOAD_MS } : null,
      details: { capacity, median: quantile(runs.map(msOf), 0.5), failed: failedOf(runs) },
    });
  }
  const overload = await runPaced({ perSecond: 1.5 * capacity, seconds }, work);
  const good = overload.runs.filter((ms) => ms !== null && ms <= PATIENCE_MS).length;
  const goodput = good / overload.seconds / capacity;
  findings.push({
    what: "sign-ins completed at 150 % of the capacity",
    unit: "of the capacity",
    ours: goodput,
    reference: null,
    ratio: null,
    target: { text: `≥ ${LEAST_GOODPUT}`, met: goodput >= LEAST_GOODPUT },
    details: {
      capacity,
      p50: quantile(overload.runs.map(msOf), 0.5),
      seconds: overload.seconds,
      refused: failedOf(overload.runs),
      completed: good,
    },
  });
  http.close();
  return findings;
}

function msOf(run: PacedRun): number {
  return run ?? Number.POSITIVE_INFINITY;
}

function failedOf(runs: readonly PacedRun[]): number {
  return runs.filter((run) => run === null).length;
}
