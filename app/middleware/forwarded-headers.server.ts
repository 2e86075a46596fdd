import type { AppContext } from "#app/context.server.ts";
import { requestState } from "./request-state.server.ts";
import type { Step } from "./step.server.ts";

/** Headers in which proxies, or clients pretending to be one, describe the client. */
const FROM_PROXIES = /^(forwarded|x-forwarded-.+|x-real-ip|client-cert.*|x-(ssl-)?client-cert.*)$/;

/**
 * Replaces forwarded headers by trusted values: X-Forwarded-For is the address found by TRUST_PROXY, the scheme is the
 * issuer's, and X-Forwarded-Host is removed, because the host is the issuer's.
 */
export function normaliseForwardedHeaders({ config }: Pick<AppContext, "config">): Step {
  const scheme = new URL(config.issuer).protocol.slice(0, -1);
  return (request, response, next) => {
    for (const name of Object.keys(request.headers)) {
      if (FROM_PROXIES.test(name)) delete request.headers[name];
    }
    request.headers["x-forwarded-for"] = requestState(response).address;
    request.headers["x-forwarded-proto"] = scheme;
    // Remix builds URLs from `protocol`, which Express takes from the header only behind a trusted proxy.
    Object.defineProperty(request, "protocol", { value: scheme });
    next();
  };
}
