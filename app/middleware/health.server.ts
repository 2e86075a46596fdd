import { setTimeout as sleep } from "node:timers/promises";
import express, { type RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { describeError } from "#app/domain/base/describe-error.server.ts";
import { requestState } from "./request-state.server.ts";

/** A check of /readyz, e.g. database, migrations, signing keys. `onlyWarns`: a failure is reported without 503. */
export type ReadinessCheck = { name: string; isReady(): Promise<boolean>; onlyWarns?: boolean };

/** Paths of the liveness and readiness probes. */
export const HEALTH_PATHS = ["/healthz", "/readyz"] as const;

const CHECK_TIMEOUT_MS = 2000;

/**
 * Serves /healthz (the process is alive; what happens to the proxy's X-Forwarded-For, for gatehouse doctor) and /readyz (state
 * of every check; 503 if one failed).
 */
export function healthProbes({ log }: Pick<AppContext, "log">, checks: readonly ReadinessCheck[]): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true });
  const [live, ready] = HEALTH_PATHS;
  router.get(live, (_request, response) => {
    response.json({ status: "ok", forwardedFor: requestState(response).forwardedFor });
  });
  router.get(ready, async (_request, response) => {
    const results = await Promise.all(checks.map(async (check) => [check.name, await stateOf(check, log)] as const));
    const isReady = results.every(([, state]) => state !== "failed");
    const states = Object.fromEntries(results);
    response.status(isReady ? 200 : 503).json({ status: isReady ? "ready" : "not ready", checks: states });
  });
  return router;
}

async function stateOf(check: ReadinessCheck, log: AppContext["log"]): Promise<"ok" | "warning" | "failed"> {
  if (await passes(check, log)) return "ok";
  return check.onlyWarns ? "warning" : "failed";
}

async function passes(check: ReadinessCheck, log: AppContext["log"]): Promise<boolean> {
  const timeout = new AbortController();
  try {
    return await Promise.race([check.isReady(), sleep(CHECK_TIMEOUT_MS, false, { signal: timeout.signal })]);
  } catch (error) {
    const isReplaced = error instanceof Error && "code" in error && error.code === "replaced";
    log[isReplaced ? "error" : "warn"]({ check: check.name, error: describeError(error) }, "readiness check failed");
    return false;
  } finally {
    timeout.abort();
  }
}
