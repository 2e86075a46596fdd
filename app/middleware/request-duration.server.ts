import type { PatternOf } from "./route-pattern.server.ts";
import { pathOf, type Step } from "./step.server.ts";

/** A finished or aborted request; `route` is a pattern, never the requested path. */
type ObservedRequest = { method: string; route: string; status: number; seconds: number };

export type ObserveRequest = (request: ObservedRequest) => void;

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];

/** Reports the duration of each request. */
export function measureRequests(observe: ObserveRequest, patternOf: PatternOf): Step {
  return (request, response, next) => {
    const startedAt = performance.now();
    // Read now, because an error page changes path and method.
    const method = METHODS.find((known) => known === request.method) ?? "other";
    const route = patternOf(pathOf(request));
    response.once("close", () => {
      observe({ method, route, status: response.statusCode, seconds: (performance.now() - startedAt) / 1000 });
    });
    next();
  };
}
