import type { RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { FailWith } from "./failure.server.ts";

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
