import type { Request, RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { isEnginePath } from "./engine-paths.server.ts";
import type { FailWithPage } from "./error-response.server.ts";

/** Responds 403 to unsafe requests from pages of other sites, for which Remix would respond with an empty 500. */
export function checkOrigin({ config }: Pick<AppContext, "config">, failWith: FailWithPage): RequestHandler {
  return (request, response, next) => {
    const changesNothing = request.method === "GET" || request.method === "HEAD";
    // Clients post to oidc-provider from any origin; it never relies on a cookie alone.
    if (changesNothing || isEnginePath(request.path) || isFromOurPages(request, config.issuer)) return next();
    failWith(request, response, { status: 403, code: "origin" });
  };
}

/** Compares Origin, else Sec-Fetch-Site. Current browsers send one of them. The origin `null` is foreign. */
function isFromOurPages(request: Request, issuer: string): boolean {
  const { origin } = request.headers;
  if (origin !== undefined) return origin === issuer;
  const site = request.get("sec-fetch-site");
  return site === undefined || site === "same-origin" || site === "none";
}
