import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { FailWith } from "./error-response.server.ts";

/** 421 for every host but the issuer's: the engine would build its published addresses from the header. */
export function checkHost({ config }: Pick<AppContext, "config">, failWith: FailWith): RequestHandler {
  const { host, protocol } = new URL(config.issuer);
  const defaultPort = protocol === "https:" ? ":443" : ":80";
  const accepted = new Set([host, new URL(config.issuer).port ? host : `${host}${defaultPort}`]);
  return (request, response, next) => {
    if (accepted.has((request.headers.host ?? "").toLowerCase())) return next();
    // Neither the styles nor the links of a page would be found under a foreign host.
    failWith(request, response, { status: 421, code: "bad request" }, { asPlainPage: true });
  };
}

/**
 * Responds 400 to a request with more than one Host header line, on every path (RFC 9112 section 3.2). Node keeps the
 * first line and drops the others, and a proxy may have read another one.
 */
export function refuseSeveralHosts(failWith: FailWith): RequestHandler {
  return (request, response, next) => {
    if (!hasSeveralHosts(request)) return next();
    failWith(request, response, { status: 400, code: "bad request" }, { asPlainPage: true });
  };
}

/** Returns true if the request has more than one Host header line. */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  // Names and values take turns.
  const isHost = (text: string, index: number) => index % 2 === 0 && text.toLowerCase() === "host";
  return rawHeaders.filter(isHost).length > 1;
}
