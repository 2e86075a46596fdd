import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Connections, watchConnections } from "./connections.server.ts";
import type { ReadinessCheck } from "./health.server.ts";
import { createEdge, type EdgeInput } from "./stack.server.ts";

/** `url` is where it really listens; `close` answers what has begun and then ends. */
export type RunningServer = { url: string; close(): Promise<void> };

const SECOND_MS = 1000;

/** Long enough for an authorization request that came by POST (posted-requests.server.ts), and its cookies. */
const MAX_HEADER_BYTES = 64 * 1024;

/** A slow sender holds a connection, nothing else, and not for long. */
const LIMITS = {
  headersTimeout: 10 * SECOND_MS,
  requestTimeout: 30 * SECOND_MS,
  connectionsCheckingInterval: 5 * SECOND_MS,
  // Longer than the minute proxies usually keep a connection: the one who sends must be the one who closes.
  keepAliveTimeout: 65 * SECOND_MS,
  maxHeaderSize: MAX_HEADER_BYTES,
} as const;

const MAX_HEADERS = 100;
const DRAIN_MS = 10 * SECOND_MS;

/** A long head may come in two packets. Whoever sends it slower than this will have to ask the next server. */
const HALF_HEAD_MS = SECOND_MS;

const LOOK_MS = 50;

/** Starts to listen on the configured address; rejects when that cannot be had. Port 0 takes any free one. */
export async function startServer(input: EdgeInput): Promise<RunningServer> {
  const { host, port } = input.context.config;
  let isStopping = false;
  const serving: ReadinessCheck = { name: "serving", isReady: async () => !isStopping };
  const server = createServer(LIMITS, createEdge({ ...input, readiness: [serving, ...input.readiness] }));
  server.maxHeadersCount = MAX_HEADERS;
  const connections = watchConnections(server);
  // First of all listeners: who is answered now must not ask again on this connection, which is about to go.
  server.prependListener("request", (_request, response) => {
    if (isStopping) response.shouldKeepAlive = false;
  });
  await listen(server, host, port);
  return {
    url: urlOf(server, host),
    close: () => {
      isStopping = true;
      return drain(server, connections);
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const isEverywhere = host === "0.0.0.0" || host === "::";
  return `http://${isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Takes no new connections, lets answers under way finish, and cuts off what is left after the limit. */
async function drain(server: Server, connections: Connections): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const patience = new AbortController();
  const after = (ms: number, work: () => void) => {
    sleep(ms, undefined, { signal: patience.signal }).then(work, () => {});
  };
  // A connection that falls idle now would be kept alive for the next request, which nobody would answer. Not at once:
  // what has arrived already is read first.
  const looking = setInterval(connections.closeSilent, LOOK_MS);
  after(HALF_HEAD_MS, connections.closeUnasked);
  after(DRAIN_MS, () => server.closeAllConnections());
  await closed;
  patience.abort();
  clearInterval(looking);
}
