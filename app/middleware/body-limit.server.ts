import type { RequestHandler } from "express";
import { isEnginePath } from "./engine-paths.server.ts";
import type { FailWithPage } from "./error-response.server.ts";

const MAX_BODY_BYTES = 64 * 1024;

/**
 * Refuses large bodies before reading them; Node discards what is sent anyway. Chunked bodies get 411. oidc-provider
 * has its own limit.
 */
export function limitBody(failWith: FailWithPage): RequestHandler {
  return (request, response, next) => {
    if (isEnginePath(request.path)) return next();
    if (request.headers["transfer-encoding"] !== undefined) {
      return failWith(request, response, { status: 411, code: "bad request" });
    }
    if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) {
      return failWith(request, response, { status: 413, code: "bad request" });
    }
    next();
  };
}
