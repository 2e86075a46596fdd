import type { Request, RequestHandler } from "express";
import { MAX_UPLOADED_FILE_BYTES, UPLOAD_PATH } from "#app/http/upload.server.ts";
import { isEnginePath } from "./engine-paths.server.ts";
import type { FailWithPage } from "./error-response.server.ts";

const MAX_BODY_BYTES = 64 * 1024;

/** Limit of a table that an administrator uploads, with the other parts of its form. */
const MAX_UPLOAD_BYTES = MAX_UPLOADED_FILE_BYTES + 16 * 1024;

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
    if (Number(request.headers["content-length"] ?? 0) > limitOf(request)) {
      return failWith(request, response, { status: 413, code: "bad request" });
    }
    next();
  };
}

function limitOf({ path, method, headers }: Request): number {
  const isUpload = /^multipart\/form-data;/i.test(headers["content-type"] ?? "");
  return isUpload && method === "POST" && path === UPLOAD_PATH ? MAX_UPLOAD_BYTES : MAX_BODY_BYTES;
}
