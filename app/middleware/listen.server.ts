import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "#app/durations.ts";
import { type Connections, trackConnections } from "./connections.server.ts";
import type { ReadinessCheck } from "./health.server.ts";
import { type AppOptions, createListener } from "./stack.server.ts";

/** `url` contains the actual port; `close` finishes requests in progress. */
export type RunningServer = { url: string; close(): Promise<void> };

/** Allows a redirected authorization POST (authorization-post.server.ts) and its cookies. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Limits for slow clients. */
const LIMITS = {
  headersTimeout: 10 * SECOND_MS,
  requestTimeout: 30 * SECOND_MS,
  connectionsCheckingInterval: 5 * SECOND_MS,
  // Longer than the usual 60 seconds of proxies, so that the proxy closes the connection first.
  keepAliveTimeout: 65 * SECOND_MS,
  maxHeaderSize: MAX_HEADER_BYTES,
} as const;

const MAX_HEADERS = 100;
const DRAIN_MS = 10 * SECOND_MS;

/** Time for a partial request head to arrive during shutdown. */
const PARTIAL_HEAD_MS = SECOND_MS;

const POLL_MS = 50;

/** Listens on the configured address; rejects if that fails. Port 0 takes any free port. */
export async function startServer(input: AppOptions): Promise<RunningServer> {
  const { host, port } = input.context.config;
  let isStopping = false;
  const serving: ReadinessCheck = { name: "serving", isReady: async () => !isStopping };
  const server = createServer(LIMITS, createListener({ ...input, readiness: [serving, ...input.readiness] }));
  server.maxHeadersCount = MAX_HEADERS;
  const connections = trackConnections(server);
  // Runs first: during shutdown, each response closes its connection.
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

/** Accepts no new connections, lets responses finish, and closes the remaining connections after DRAIN_MS. */
async function drain(server: Server, connections: Connections): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const timeouts = new AbortController();
  const after = (ms: number, work: () => void) => {
    sleep(ms, undefined, { signal: timeouts.signal }).then(work, () => {});
  };
  // Closes connections that become idle, which would otherwise be kept alive; not at once, so that data which has
  // already arrived is read.
  const timer = setInterval(connections.closeIdle, POLL_MS);
  after(PARTIAL_HEAD_MS, connections.closeWithoutRequest);
  after(DRAIN_MS, () => server.closeAllConnections());
  await closed;
  timeouts.abort();
  clearInterval(timer);
}
