import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

/** A URL that is reserved before its application is created. */
export type Place = {
  /** Without a trailing slash, e.g. http://127.0.0.1:40123. */
  url: string;
  serve(application: RequestListener): void;
  close(): Promise<void>;
};

/** Reserves a free port. `localhost` makes the application same-site with the provider, `127.0.0.1` cross-site. */
export async function openPlace(name: "127.0.0.1" | "localhost" = "127.0.0.1"): Promise<Place> {
  let application: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => application(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the system assigned no port");
  return {
    url: `http://${name}:${address.port}`,
    serve(next) {
      application = next;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
