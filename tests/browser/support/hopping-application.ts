import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import type { TestServer } from "#tests/support/server.ts";

type Site = { url: string; close(): void };

/** An application whose callback redirects to another site, as gateways of several tenants do. */
export type HoppingApplication = {
  party: RelyingParty;
  /** The callback; also registered for the return after a sign-out. */
  callback: string;
  /** The page at the other site, with the heading "Tenant". */
  arrived: string;
  close(): void;
};

/** Starts a site with an origin of its own, by a free port. */
export async function openSite(serve: RequestListener): Promise<Site> {
  const server = createServer(serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export async function openHoppingApplication(server: TestServer): Promise<HoppingApplication> {
  const tenant = await openSite((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Tenant</title><h1>Tenant</h1>");
  });
  const arrived = `${tenant.url}/arrived`;
  const gateway = await openSite((_request, response) => void response.writeHead(303, { location: arrived }).end());
  const callback = `${gateway.url}/callback`;
  const client = await server.clients.create({ redirectUris: [callback], postLogoutRedirectUris: [callback] });
  return {
    party: createRelyingParty({ issuer: server.url, client }),
    callback,
    arrived,
    close() {
      gateway.close();
      tenant.close();
    },
  };
}
