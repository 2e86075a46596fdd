import type { RequestHandler } from "express";
import type { PatternOf } from "./route-pattern.server.ts";

/** One request that was answered, or given up; `route` is a pattern of ours, never what somebody typed. */
export type ObservedRequest = { method: string; route: string; status: number; seconds: number };

export type ObserveRequest = (request: ObservedRequest) => void;

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];

/** Tells how long each request took. */
export function measureRequests(observe: ObserveRequest, patternOf: PatternOf): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    // Read now: an error page is asked for under another path and method.
    const method = METHODS.includes(request.method) ? request.method : "other";
    const route = patternOf(request.path);
    response.once("close", () => {
      observe({ method, route, status: response.statusCode, seconds: (performance.now() - startedAt) / 1000 });
    });
    next();
  };
}
