import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { instrumentation, type RemovedBatch } from "#app/domain/audit/instrumentation.server.ts";
import type { MailStage } from "#app/mail/problem.server.ts";
import type { ObserveRequest } from "#app/middleware/request-duration.server.ts";
import { countEvents } from "./events.server.ts";
import { measureHashing } from "./hashing.server.ts";
import { listen } from "./listen.server.ts";
import { type StateDeps, showState } from "./state.server.ts";

/** Running metrics; call `observeRequest` after every request. */
export type RunningMetrics = { observeRequest: ObserveRequest; close(): Promise<void> };

/** Starts collecting metrics and serves them on a loopback port. Rejects if the port is not available. */
export async function startMetrics(context: StateDeps, port: number): Promise<RunningMetrics> {
  const register = new Registry();
  const observeRequest = measureRequests(register);
  showState(register, context);
  const listener = await listen(register, port);
  measureProcess(register);
  instrumentation
    .on("audit event", countEvents(register))
    .on("password hash", measureHashing(register))
    .on("backup", countBackups(register))
    .on("mail attempt", countMailAttempts(register))
    .on("clean-up batch", measureCleanUp(register))
    .on("unreadable client address", countUnreadableAddresses(register));
  return {
    observeRequest,
    async close() {
      instrumentation.removeAllListeners();
      await listener.close();
    },
  };
}

/** Gauges of prom-client with the suffix of a counter. They are the sums of the gauges without it. */
const MISNAMED_SUMS = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** Collects the metrics of the process, as `promtool check metrics` accepts them. */
function measureProcess(register: Registry): void {
  collectDefaultMetrics({ register });
  for (const name of MISNAMED_SUMS) register.removeSingleMetric(name);
}

function countBackups(register: Registry): (backup: { ok: boolean }) => void {
  const backups = new Counter({
    name: "gatehouse_backups_total",
    help: "Nightly backups since the start, by result.",
    labelNames: ["result"],
    registers: [register],
  });
  // Initialised, so that the first failure increases an existing series.
  for (const result of ["ok", "failed"]) backups.inc({ result }, 0);
  return ({ ok }) => backups.inc({ result: ok ? "ok" : "failed" });
}

function countMailAttempts(register: Registry): (attempt: { result: "sent" | MailStage }) => void {
  const attempts = new Counter({
    name: "gatehouse_mail_attempts_total",
    help: "Attempts to deliver a mail since the start, by result: sent, or the stage at which it failed.",
    labelNames: ["result"],
    registers: [register],
  });
  attempts.inc({ result: "sent" }, 0);
  return ({ result }) => attempts.inc({ result });
}

function countUnreadableAddresses(register: Registry): () => void {
  const addresses = new Counter({
    name: "gatehouse_unreadable_client_addresses_total",
    help: "Requests of a trusted proxy whose X-Forwarded-For has no IP address.",
    registers: [register],
  });
  return () => addresses.inc();
}

/** In seconds. A batch usually takes a few milliseconds; 50 ms would delay other requests noticeably. */
const BATCH_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5];

/** Measures the removal of expired rows. Returns the listener for each batch. */
export function measureCleanUp(register: Registry): (batch: RemovedBatch) => void {
  const duration = new Histogram({
    name: "gatehouse_clean_up_held_seconds",
    help: "Duration of the removal of each batch of expired rows; on SQLite other work waits for it.",
    buckets: BATCH_BUCKETS,
    registers: [register],
  });
  return ({ heldMs }) => duration.observe(heldMs / 1000);
}

const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures the duration of requests. Labels are route patterns, not requested paths. */
export function measureRequests(register: Registry): ObserveRequest {
  const duration = new Histogram({
    name: "gatehouse_request_seconds",
    help: "Duration of requests by method, route pattern and status class.",
    labelNames: ["method", "route", "status"],
    buckets: REQUEST_BUCKETS,
    registers: [register],
  });
  return ({ method, route, status, seconds }) => {
    duration.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, seconds);
  };
}
