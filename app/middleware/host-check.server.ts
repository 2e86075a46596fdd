import type { IncomingMessage, ServerResponse } from "node:http";
import type { AppContext } from "#app/context.server.ts";
import { printable } from "#app/domain/base/printable.ts";
import { requestState } from "./request-state.server.ts";
import type { FailWith, Step } from "./step.server.ts";

/**
 * Responds 421 for every host but the issuer's: oidc-provider would build its published URLs from the header. Response
 * and log name the issuer, because the usual reason is an application that is configured with another address.
 */
export function checkHost<Req extends IncomingMessage, Res extends ServerResponse>(
  { config, log }: Pick<AppContext, "config" | "log">,
  failWith: FailWith<Req, Res>,
): Step<Req, Res> {
  const { host, protocol } = new URL(config.issuer);
  const defaultPort = protocol === "https:" ? ":443" : ":80";
  const accepted = new Set([host, new URL(config.issuer).port ? host : `${host}${defaultPort}`]);
  return (request, response, next) => {
    const sent = request.headers.host ?? "";
    if (accepted.has(sent.toLowerCase())) return next();
    const { requestId, address } = requestState(response);
    const fix = `Configure the issuer in the application, or ISSUER here: ${config.issuer}`;
    const fields = { event: "host.refused", outcome: "refused", requestId, address, host: printable(sent), fix };
    log.info(fields, "host.refused");
    const description = `The request was sent to another host. The issuer is ${config.issuer}`;
    // Styles and links of a rendered page would not work on a foreign host.
    failWith(request, response, { status: 421, code: "bad request", description }, { withoutFiles: true });
  };
}

/**
 * Responds 400 to a request with more than one Host header line, on every path (RFC 9112 section 3.2). Node keeps the
 * first line and drops the others, and a proxy may have read another one.
 */
export function refuseSeveralHosts<Req extends IncomingMessage, Res extends ServerResponse>(
  failWith: FailWith<Req, Res>,
): Step<Req, Res> {
  return (request, response, next) => {
    if (!hasSeveralHosts(request)) return next();
    failWith(request, response, { status: 400, code: "bad request" }, { withoutFiles: true });
  };
}

function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  // Header names have even indexes, values odd ones.
  const isHost = (text: string, index: number) => index % 2 === 0 && text.toLowerCase() === "host";
  return rawHeaders.filter(isHost).length > 1;
}
