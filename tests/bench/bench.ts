import { setTimeout as sleep } from "node:timers/promises";
import type { Gatehouse } from "./gatehouse.ts";
import type { HttpClient } from "./http-client.ts";
import { endOf, type MeasuredProcess, type Program, startMeasured } from "./measured-process.ts";
import type { Options } from "./options.ts";
import type { BenchUser, Service } from "./sign-in-flow.ts";
import type { Spread } from "./statistics.ts";

/** A server process of the benchmark. */
export type Server = { process: MeasuredProcess; url: URL };

/** Input of a measurement. */
export type Bench = {
  options: Options;
  gatehouse: Gatehouse;
  http: HttpClient;
  /** The running product, and the description of its sign-in. */
  product: Server;
  service: Service;
  /** Returns another user each time. */
  nextUser: () => BenchUser;
};

/** Result of a measurement: our value, the reference's, and their ratio. */
export type Finding = {
  what: string;
  unit: string;
  ours: number;
  reference: { what: string; value: number } | null;
  /** Our value divided by the reference, over the rounds; null without a reference. */
  ratio: Spread | null;
  target: { text: string; met: boolean } | null;
  /** Values of each round and additional data. */
  details: Readonly<Record<string, unknown>>;
};

const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 5;

/** Starts a server and waits until /readyz responds with 200. Also returns the time this took. */
export async function startServer(http: HttpClient, url: URL, program: Program): Promise<Server & { readyMs: number }> {
  const startedAt = performance.now();
  const process = startMeasured(program);
  while (!(await isReady(http, url))) {
    if (performance.now() - startedAt > READY_TIMEOUT_MS) {
      throw new Error(`No server at ${url.href}:\n${endOf(program.logFile)}`);
    }
    await sleep(POLL_MS);
  }
  return { process, url, readyMs: performance.now() - startedAt };
}

async function isReady(http: HttpClient, url: URL): Promise<boolean> {
  try {
    return (await http.send(new URL("/readyz", url))).status === 200;
  } catch {
    // Not listening yet.
    return false;
  }
}
