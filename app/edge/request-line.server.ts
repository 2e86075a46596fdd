import type { RequestHandler } from "express";
import { isEnginePath } from "./engine-paths.server.ts";
import type { FailWith } from "./failure.server.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"];

/** Turns away paths that two readers could read differently, and methods that nothing here knows. */
export function checkRequestLine(failWith: FailWith): RequestHandler {
  return (request, response, next) => {
    if (!isPlain(request.url)) return failWith(request, response, { status: 400, code: "bad request" });
    // The engine answers the CORS questions of browsers itself.
    const isKnown = METHODS.includes(request.method) || (request.method === "OPTIONS" && isEnginePath(request.path));
    if (isKnown) return next();
    response.set("Allow", METHODS.join(", "));
    failWith(request, response, { status: 405, code: "bad request" });
  };
}

/** A path from the root that decodes as UTF-8, and no NUL anywhere. In queries applications may be careless with %. */
function isPlain(url: string): boolean {
  const path = url.split("?", 1)[0] ?? "";
  return url.startsWith("/") && !/%00/.test(url) && !path.includes("\\") && isDecodable(path);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
