import { type Finding, startServer } from "../bench.ts";
import type { HttpClient } from "../http-client.ts";
import type { Program } from "../measured-process.ts";
import { median, ratios } from "../statistics.ts";

const MOST_MS = 1000;

/** A program and its URL. */
type Startable = { url: URL; program: Program };

/** Measures the time from process start to a successful /readyz, alternating with oidc-provider alone. */
export async function measureColdStart(
  http: HttpClient,
  { product, bare, starts }: { product: Startable; bare: Startable; starts: number },
): Promise<Finding> {
  const ours: number[] = [];
  const reference: number[] = [];
  for (let count = 0; count < starts; count += 1) {
    ours.push(await startOnce(http, product));
    reference.push(await startOnce(http, bare));
  }
  const middle = median(ours);
  return {
    what: "start to ready",
    unit: "ms",
    ours: middle,
    reference: { what: "oidc-provider alone on SQLite", value: median(reference) },
    ratio: ratios(ours, reference),
    target: { text: `≤ ${MOST_MS} ms`, met: middle <= MOST_MS },
    details: { ours, reference },
  };
}

async function startOnce(http: HttpClient, { url, program }: Startable): Promise<number> {
  const { process, readyMs } = await startServer(http, url, program);
  await process.stop();
  return readyMs;
}
