import type { Request, RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { isEnginePath } from "./engine-paths.server.ts";
import type { FailWith } from "./error-response.server.ts";

/** 403 for whatever changes something and was sent by another site's page. Remix would answer an empty 500. */
export function checkOrigin({ config }: Pick<AppContext, "config">, failWith: FailWith): RequestHandler {
  return (request, response, next) => {
    const changesNothing = request.method === "GET" || request.method === "HEAD";
    // Applications post to the engine from everywhere, and it trusts no cookie alone.
    if (changesNothing || isEnginePath(request.path) || isFromOurPages(request, config.issuer)) return next();
    failWith(request, response, { status: 403, code: "origin" });
  };
}

/** Without an Origin it is no browser of today, or one that says so in Sec-Fetch-Site. `null` is a foreign origin. */
function isFromOurPages(request: Request, issuer: string): boolean {
  const { origin } = request.headers;
  if (origin !== undefined) return origin === issuer;
  const site = request.get("sec-fetch-site");
  return site === undefined || site === "same-origin" || site === "none";
}
