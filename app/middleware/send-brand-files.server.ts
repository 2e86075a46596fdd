import type { RequestHandler } from "express";
import type { BrandFile, BrandFiles } from "#app/http/brand-files.server.ts";

/**
 * Serves the office's logo and colours, from memory. Their URLs contain a hash, so that browsers keep them for a year.
 */
export function serveBrandFiles({ logo, styleSheet }: BrandFiles): RequestHandler {
  const files = new Map([logo, styleSheet].filter((file) => file !== null).map((file) => [file.path, file]));
  return (request, response, next) => {
    const file = files.get(request.path);
    if (!file || (request.method !== "GET" && request.method !== "HEAD")) return next();
    response.set(headersOf(file));
    // Express sends no body for HEAD.
    response.send(file.content);
  };
}

function headersOf({ type, policy }: BrandFile): Record<string, string> {
  return {
    "Content-Type": type,
    "Content-Security-Policy": policy,
    "Cache-Control": "public, max-age=31536000, immutable",
  };
}
