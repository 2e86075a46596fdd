import type { RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { requestState } from "./request-state.server.ts";

/** Headers by which a proxy, or anyone who pretends to be one, says who is calling and how. */
const FROM_PROXIES = /^(forwarded|x-forwarded-.+|x-real-ip|client-cert.*|x-(ssl-)?client-cert.*)$/;

/**
 * Puts what we believe in the place of what was said. Behind the edge X-Forwarded-For is the address that TRUST_PROXY
 * led to, the scheme is the issuer's, whoever ends the TLS, and X-Forwarded-Host is gone: the host is the issuer's.
 */
export function normaliseForwardedHeaders({ config }: Pick<AppContext, "config">): RequestHandler {
  const scheme = new URL(config.issuer).protocol.slice(0, -1);
  return (request, response, next) => {
    for (const name of Object.keys(request.headers)) {
      if (FROM_PROXIES.test(name)) delete request.headers[name];
    }
    request.headers["x-forwarded-for"] = requestState(response).address;
    request.headers["x-forwarded-proto"] = scheme;
    // Express believes the header only from a trusted peer; Remix builds its URLs from this.
    Object.defineProperty(request, "protocol", { value: scheme });
    next();
  };
}
