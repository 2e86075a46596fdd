import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { Registry } from "prom-client";

/** Metrics are served on loopback only; remote collectors need a tunnel or an authenticating proxy. */
const LOOPBACK = "127.0.0.1";

/** Long enough for a scrape; slower connections are closed when the server stops. */
const LIMITS = { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 5_000 } as const;

/** Serves GET /metrics only. Rejects if the port is not available. */
export async function listen(register: Registry, port: number): Promise<{ close(): Promise<void> }> {
  const server = createServer(LIMITS, createHandler(register));
  server.listen(port, LOOPBACK);
  await once(server, "listening");
  return {
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
}

function createHandler(register: Registry): RequestListener {
  let pending: Promise<string> | null = null;
  // Concurrent scrapes share one collection, because it runs queries.
  const collectMetrics = () => {
    pending ??= register.metrics().finally(() => {
      pending = null;
    });
    return pending;
  };
  return async (request, response) => {
    const { method, url } = request;
    // RFC 9112 §3.2
    if ((request.headersDistinct["host"]?.length ?? 0) > 1) return void response.writeHead(400).end();
    if (method !== "GET" || url !== "/metrics") return void response.writeHead(404).end();
    try {
      const text = await collectMetrics();
      response.writeHead(200, { "content-type": register.contentType, "cache-control": "no-store" }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  };
}
