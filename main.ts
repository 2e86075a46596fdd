#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import type { ServerBuild } from "@remix-run/node";
import { runCommandLine } from "#app/cli/program.server.ts";
import type { Serve } from "#app/cli/serve.ts";
import { type AppContext, createContext } from "#app/context.server.ts";
import { listPendingMigrations } from "#app/db/migrations.server.ts";
import { warnOfClock } from "#app/domain/audit/clock-check.server.ts";
import { isBackupRecent } from "#app/domain/backup/age.server.ts";
import { changeIssuer } from "#app/domain/instance/change-issuer.server.ts";
import { createWriteProbe } from "#app/domain/instance/write-probe.server.ts";
import { scriptAddresses } from "#app/http/load-context.server.ts";
import { createCleanUp } from "#app/jobs/clean-up.server.ts";
import type { RunningMetrics } from "#app/metrics/start.server.ts";
import type { ReadinessCheck } from "#app/middleware/health.server.ts";
import { type RunningServer, startServer } from "#app/middleware/serve.server.ts";
import { logUncaughtExceptions, logUnhandledRejections, shutDown } from "#app/middleware/shutdown.server.ts";
import type { Pages } from "#app/middleware/stack.server.ts";
import { hasSigningKeys } from "#app/oidc/keys.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";

/**
 * With much memory, V8 lets the heap grow to four times its live data. Here little data lives long and every sign-in
 * leaves garbage: collecting earlier saves 90 MB at no measurable cost.
 */
const HEAP_GROWTH = "--heap-growing-percent=60";

const serve: Serve = async ({ config, log, development, acceptHost = false, fileListener }) => {
  setFlagsFromString(HEAP_GROWTH);
  const context = await createContext({
    config,
    log,
    epochOf: (database) => takeIntoService(database, { isAlone: true }),
  });
  logUnhandledRejections(context);
  logUncaughtExceptions(context);
  const { server, metrics } = await startOrClose(context, { development, acceptHost });
  const cleanUp = createCleanUp(context);
  cleanUp.start();
  await context.mail.start(fileListener);
  context.logouts.start();
  await warnOfClock(context);
  log.info({ issuer: config.issuer, address: server.url }, "serving");
  return {
    url: server.url,
    close: async () => {
      cleanUp.stop();
      await shutDown(context, { ...server, close: () => stopAll(context, server) });
      // Last, so that the metrics cover the shutdown.
      await metrics?.close();
    },
  };
};

/** Stops all three in parallel; responses, mails and logouts in progress may finish. */
async function stopAll({ mail, logouts }: AppContext, server: RunningServer): Promise<void> {
  await Promise.all([server.close(), mail.stop(), logouts.stop()]);
}

/** Starts the server; closes the database if that fails, for example because the port is in use. */
async function startOrClose(
  context: AppContext,
  { development, acceptHost }: { development: boolean; acceptHost: boolean },
): Promise<{ server: RunningServer; metrics: RunningMetrics | null }> {
  let metrics: RunningMetrics | null = null;
  try {
    await changeIssuer(context, { acceptHost });
    const pages = development ? await developmentPages() : await builtPages();
    metrics = await startMetrics(context);
    const observeRequest = metrics?.observeRequest;
    const server = await startServer({ context, ...pages, readiness: readinessOf(context), observeRequest });
    return { server, metrics };
  } catch (error) {
    await metrics?.close();
    await context.store.close();
    throw error;
  }
}

/** Imported on demand: most installations do not serve metrics. */
async function startMetrics(context: AppContext): Promise<RunningMetrics | null> {
  const { metricsPort } = context.config;
  if (metricsPort === null) return null;
  const { startMetrics: start } = await import("#app/metrics/start.server.ts");
  context.log.info({ port: metricsPort }, "figures are served on this machine");
  return start(context, metricsPort);
}

/** Loads the built pages, which are beside the bundle in build/. */
async function builtPages(): Promise<Pages> {
  // Before React is loaded: it reads NODE_ENV once.
  process.env.NODE_ENV ??= "production";
  const beside = (path: string) => new URL(path, import.meta.url);
  const build: ServerBuild = await import(beside("server/index.js").href);
  const manifest: unknown = JSON.parse(readFileSync(beside("enhance.json"), "utf8"));
  return {
    build,
    assetsDir: fileURLToPath(beside("client/assets")),
    publicDir: fileURLToPath(beside("client")),
    scripts: scriptAddresses.parse(manifest),
  };
}

/** Compiles pages with Vite on request; runs from the source only. */
async function developmentPages(): Promise<Pages> {
  const [{ createServer }, { buildEnhance }] = await Promise.all([
    import("vite"),
    import("./scripts/build-client-script.mjs"),
  ]);
  const root = fileURLToPath(new URL("./", import.meta.url));
  const vite = await createServer({ root, server: { middlewareMode: true }, appType: "custom" });
  // Vite does not type the exports of a module; this one is the Remix build by definition.
  const build = async () => (await vite.ssrLoadModule("virtual:remix/server-build")) as unknown as ServerBuild;
  return {
    build,
    assetsDir: `${root}build/client/assets`,
    publicDir: `${root}public`,
    scripts: await buildEnhance(),
    developmentServer: vite.middlewares,
  };
}

function readinessOf(context: Pick<AppContext, "store" | "config" | "clock">): ReadinessCheck[] {
  const { store } = context;
  return [
    { name: "migrations", isReady: async () => (await listPendingMigrations(store)).length === 0 },
    { name: "writes", isReady: createWriteProbe(context) },
    { name: "keys", isReady: () => hasSigningKeys({ store }) },
    { name: "backup", isReady: () => isBackupRecent(context), onlyWarns: true },
  ];
}

process.exitCode = await runCommandLine({ argv: process.argv, env: process.env, serve });
