import { Histogram, type Registry } from "prom-client";
import type { ObserveRequest } from "#app/middleware/request-duration.server.ts";

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures the duration of requests. Labels are route patterns, not requested paths. */
export function measureRequests(register: Registry): ObserveRequest {
  const duration = new Histogram({
    name: "gatehouse_request_seconds",
    help: "Duration of requests by method, route pattern and status class.",
    labelNames: ["method", "route", "status"],
    buckets: BUCKETS,
    registers: [register],
  });
  return ({ method, route, status, seconds }) => {
    duration.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, seconds);
  };
}
