import type { RequestHandler } from "express";
import { isEnginePath } from "./engine-paths.server.ts";
import type { FailWith } from "./error-response.server.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"];

/** Refuses ambiguous paths and unknown methods. */
export function checkRequestLine(failWith: FailWith): RequestHandler {
  return (request, response, next) => {
    if (!isPlain(request.url)) return failWith(request, response, { status: 400, code: "bad request" });
    // No URL has an empty segment, and Remix takes a path that begins with two slashes for a host.
    if (request.path.includes("//")) return failWith(request, response, { status: 404, code: "page_not_found" });
    // oidc-provider handles CORS preflight requests.
    const isKnown = METHODS.includes(request.method) || (request.method === "OPTIONS" && isEnginePath(request.path));
    if (isKnown) return next();
    response.set("Allow", METHODS.join(", "));
    failWith(request, response, { status: 405, code: "bad request" });
  };
}

/** Returns true for an absolute path in valid UTF-8 without control characters. Queries may contain a bare %. */
function isPlain(url: string): boolean {
  const path = url.split("?", 1)[0] ?? "";
  return url.startsWith("/") && !/%00/.test(url) && !path.includes("\\") && isOneLine(path);
}

/** Returns true if the path decodes and contains no line breaks or control characters. */
function isOneLine(path: string): boolean {
  try {
    return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}
