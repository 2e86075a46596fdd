import type { IncomingMessage, ServerResponse } from "node:http";
import { engineMethodsOf, isMachinePath } from "./engine-paths.server.ts";
import { type FailWith, pathOf, type Step } from "./step.server.ts";

/** Methods of the pages and our own calls. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"];

/** Parameters of a query: the largest form that is sent by GET has a checkbox for each group. */
const MAX_PARAMETERS = 600;

/**
 * Refuses ambiguous paths, unknown methods, and queries of more than 600 parameters: oidc-provider's framework takes time
 * that grows with the square of their number, 7 s for 50 KB.
 */
export function checkRequestLine<Req extends IncomingMessage, Res extends ServerResponse>(
  failWith: FailWith<Req, Res>,
): Step<Req, Res> {
  return (request, response, next) => {
    const { url = "", method = "" } = request;
    const path = pathOf(request);
    if (!isPlain(url)) return failWith(request, response, { status: 400, code: "bad request" });
    if (url.split("&", MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
      return failWith(request, response, { status: 400, code: "bad request" });
    }
    // No URL has an empty segment, and Remix takes a path that begins with two slashes for a host.
    if (path.includes("//")) return failWith(request, response, { status: 404, code: "page_not_found" });
    const allowed = engineMethodsOf(path) ?? METHODS;
    if (allowed.includes(method) || isPreflight(request)) return next();
    response.setHeader("Allow", allowed.join(", "));
    failWith(request, response, { status: 405, code: "bad request" });
  };
}

/** Returns true for a CORS preflight request to a path of programs, which oidc-provider handles. */
function isPreflight(request: IncomingMessage): boolean {
  const { origin, "access-control-request-method": requested } = request.headers;
  const isComplete = origin !== undefined && requested !== undefined;
  return request.method === "OPTIONS" && isComplete && isMachinePath(pathOf(request));
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
