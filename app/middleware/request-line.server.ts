import type { RequestHandler } from "express";
import { isEnginePath } from "./engine-paths.server.ts";
import type { FailWith } from "./error-response.server.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"];

/** Turns away paths that two readers could read differently, and methods that nothing here knows. */
export function checkRequestLine(failWith: FailWith): RequestHandler {
  return (request, response, next) => {
    if (!isPlain(request.url)) return failWith(request, response, { status: 400, code: "bad request" });
    // No address has an empty segment, and Remix takes a path that begins with two slashes for a host.
    if (request.path.includes("//")) return failWith(request, response, { status: 404, code: "page_not_found" });
    // The engine answers the CORS questions of browsers itself.
    const isKnown = METHODS.includes(request.method) || (request.method === "OPTIONS" && isEnginePath(request.path));
    if (isKnown) return next();
    response.set("Allow", METHODS.join(", "));
    failWith(request, response, { status: 405, code: "bad request" });
  };
}

/** A path from the root, of one line of UTF-8, and no NUL anywhere. In queries applications may be careless with %. */
function isPlain(url: string): boolean {
  const path = url.split("?", 1)[0] ?? "";
  return url.startsWith("/") && !/%00/.test(url) && !path.includes("\\") && isOneLine(path);
}

/** Decodes, and holds nothing that starts a new line or controls a terminal: no route is written for those. */
function isOneLine(path: string): boolean {
  try {
    return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}
