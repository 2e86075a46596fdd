// A load client in a separate process: opens login pages at a fixed rate, regardless of pending responses, and reports
// response times from the scheduled time on. No passwords, because hashing would dominate the load.
import { createBrowser, createHttpClient, redirectOf } from "./http-client.ts";
import { ratePerSecond } from "./load.ts";
import type { LoadRequest, LoadResponse } from "./paced-load.ts";
import { authorizationUrl, type Service } from "./sign-in-flow.ts";

const CONNECTIONS = 32;
/** Timers are late by 1 to 2 ms; due requests are sent together. */
const TICK_MS = 2;

const http = createHttpClient(CONNECTIONS);
let count = 0;
let timer: NodeJS.Timeout | null = null;
let failed = 0;
const waits: LoadResponse["waits"] = [];
const pending = new Set<Promise<void>>();

process.on("message", (message) => {
  if (isLoadRequest(message)) void handleRequest(message).then((value) => process.send?.(value));
});
process.once("disconnect", () => process.exit());

async function handleRequest(request: LoadRequest): Promise<LoadResponse> {
  if (request.what === "capacity") {
    const perSecond = await ratePerSecond({ clients: request.clients, seconds: request.seconds }, () =>
      openPage(request),
    );
    return { perSecond, waits: [], failed };
  }
  if (request.what === "begin") {
    startLoad(request);
    return { perSecond: request.perSecond, waits: [], failed };
  }
  if (timer !== null) clearInterval(timer);
  await Promise.all(pending);
  return { perSecond: 0, waits, failed };
}

function startLoad(request: Extract<LoadRequest, { what: "begin" }>): void {
  let due = performance.now();
  timer = setInterval(() => {
    for (const now = performance.now(); due <= now; due += 1000 / request.perSecond) {
      const one = note(request, due);
      pending.add(one);
      void one.finally(() => pending.delete(one));
    }
  }, TICK_MS);
}

async function note(request: LoadRequest, due: number): Promise<void> {
  try {
    await openPage(request);
    waits.push({ at: performance.timeOrigin + due, ms: performance.now() - due });
  } catch {
    failed += 1;
  }
}

/** A new browser: sends an authorization request, which writes, and loads the login page. */
async function openPage({ service }: Pick<LoadRequest, "service">): Promise<void> {
  count += 1;
  const browser = createBrowser(http, `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`);
  const page = await browser.get(redirectOf(await browser.get(authorizationUrl(serviceOf(service)))));
  if (page.status !== 200) throw new Error(`There is no login page: ${page.status}`);
}

function serviceOf({ issuer, ...rest }: LoadRequest["service"]): Service {
  return { ...rest, issuer: new URL(issuer), tokenPath: "", identify: () => Promise.reject(new Error("not here")) };
}

/** Only the benchmark writes to this channel, with typed messages. */
function isLoadRequest(message: unknown): message is LoadRequest {
  return typeof message === "object" && message !== null && "what" in message;
}
