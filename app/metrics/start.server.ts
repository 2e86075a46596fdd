import { Counter, collectDefaultMetrics, Registry } from "prom-client";
import { instrumentation } from "#app/domain/instrumentation.server.ts";
import type { ObserveRequest } from "#app/middleware/request-duration.server.ts";
import { measureCleanUp } from "./clean-up.server.ts";
import { countEvents } from "./events.server.ts";
import { measureHashing } from "./hashing.server.ts";
import { listen } from "./listen.server.ts";
import { measureRequests } from "./requests.server.ts";
import { type StateDeps, showState } from "./state.server.ts";

/** Running metrics; call `observeRequest` after every request. */
export type RunningMetrics = { observeRequest: ObserveRequest; close(): Promise<void> };

/** Starts collecting metrics and serves them on a loopback port. Rejects if the port is not available. */
export async function startMetrics(context: StateDeps, port: number): Promise<RunningMetrics> {
  const register = new Registry();
  const observeRequest = measureRequests(register);
  showState(register, context);
  const listener = await listen(register, port);
  collectDefaultMetrics({ register });
  instrumentation
    .on("audit event", countEvents(register))
    .on("password hash", measureHashing(register))
    .on("backup", countBackups(register))
    .on("clean-up batch", measureCleanUp(register));
  return {
    observeRequest,
    async close() {
      instrumentation.removeAllListeners();
      await listener.close();
    },
  };
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
