import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

/** An address on this machine, taken before the application that will answer there is made. */
export type Place = {
  /** E.g. http://127.0.0.1:40123, without a slash at the end. */
  url: string;
  serve(application: RequestListener): void;
  close(): Promise<void>;
};

/**
 * Takes a free port. The name decides what a browser thinks of it: the provider's own name, `localhost`, makes the
 * application a same-site one; `127.0.0.1` makes it another site, as real applications are.
 */
export async function openPlace(name: "127.0.0.1" | "localhost" = "127.0.0.1"): Promise<Place> {
  let application: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => application(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The system gave no port.");
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
