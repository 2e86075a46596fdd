import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Counter, collectDefaultMetrics, Registry } from "prom-client";
import { z } from "zod";
import { AUDIT_CHANNEL } from "#app/domain/audit/channel.server.ts";
import { BACKUP_CHANNEL } from "#app/domain/backup/channel.server.ts";
import { CLEAN_UP_CHANNEL } from "#app/domain/clean-up/channel.server.ts";
import { HASH_CHANNEL } from "#app/domain/password/hash-channel.server.ts";
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
  const subscribers = [
    [AUDIT_CHANNEL, countEvents(register)],
    [HASH_CHANNEL, measureHashing(register)],
    [BACKUP_CHANNEL, countBackups(register)],
    [CLEAN_UP_CHANNEL, measureCleanUp(register)],
  ] as const;
  showState(register, context);
  const listener = await listen(register, port);
  collectDefaultMetrics({ register });
  for (const [channel, subscriber] of subscribers) subscribe(channel, subscriber);
  return {
    observeRequest,
    async close() {
      for (const [channel, subscriber] of subscribers) unsubscribe(channel, subscriber);
      await listener.close();
    },
  };
}

const backupSchema = z.object({ ok: z.boolean() });

function countBackups(register: Registry): (message: unknown) => void {
  const backups = new Counter({
    name: "gatehouse_backups_total",
    help: "Nightly backups since the start, by result.",
    labelNames: ["result"],
    registers: [register],
  });
  // Initialised, so that the first failure increases an existing series.
  for (const result of ["ok", "failed"]) backups.inc({ result }, 0);
  return (message) => {
    const outcome = backupSchema.safeParse(message).data;
    if (outcome) backups.inc({ result: outcome.ok ? "ok" : "failed" });
  };
}
