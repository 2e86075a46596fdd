import { setTimeout as sleep } from "node:timers/promises";
import type { Gatehouse } from "./gatehouse.ts";
import type { HttpClient } from "./http-client.ts";
import { endOf, type MeasuredProcess, type Program, startMeasured } from "./measured-process.ts";
import type { Options } from "./options.ts";
import type { Person, Service } from "./sign-in-flow.ts";
import type { Spread } from "./statistics.ts";

/** A server that runs as a child of the bench. */
export type Server = { process: MeasuredProcess; url: URL };

/** Everything that a measure works with. */
export type Bench = {
  options: Options;
  gatehouse: Gatehouse;
  http: HttpClient;
  /** The product, running; and as a service to sign in at. */
  product: Server;
  service: Service;
  /** Gives somebody else each time. */
  nextPerson: () => Person;
};

/** What was found out: figures of ours, of the reference, and how they compare. */
export type Finding = {
  what: string;
  unit: string;
  ours: number;
  reference: { what: string; value: number } | null;
  /** Ours by reference, over the rounds; null without a reference. */
  ratio: Spread | null;
  target: { text: string; met: boolean } | null;
  /** What the figures were made from, round by round, and what else belongs to them. */
  details: Readonly<Record<string, unknown>>;
};

const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 5;

/** Starts a server and waits until it says that it is ready. Answers how long that took, too. */
export async function startServer(http: HttpClient, url: URL, program: Program): Promise<Server & { readyMs: number }> {
  const begin = performance.now();
  const process = startMeasured(program);
  while (!(await isReady(http, url))) {
    if (performance.now() - begin > READY_TIMEOUT_MS)
      throw new Error(`No server at ${url.href}:\n${endOf(program.logFile)}`);
    await sleep(POLL_MS);
  }
  return { process, url, readyMs: performance.now() - begin };
}

async function isReady(http: HttpClient, url: URL): Promise<boolean> {
  try {
    return (await http.send(new URL("/readyz", url))).status === 200;
  } catch {
    // Not listening yet.
    return false;
  }
}
