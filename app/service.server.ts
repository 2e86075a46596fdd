import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { Serve } from "#app/cli/service.ts";
import { type AppContext, createContext } from "#app/context.server.ts";
import { requireServiceFiles, requireWritableFolder } from "#app/db/files/writable.server.ts";
import { listPendingMigrations } from "#app/db/migrations.server.ts";
import { warnOfClock } from "#app/domain/audit/clock-check.server.ts";
import { isBackupRecent } from "#app/domain/backup/age.server.ts";
import { changeIssuer } from "#app/domain/instance/change-issuer.server.ts";
import { createWriteProbe } from "#app/domain/instance/write-probe.server.ts";
import { createCleanUp } from "#app/jobs/clean-up.server.ts";
import { startNightlyVerification } from "#app/jobs/nightly-verification.server.ts";
import type { RunningMetrics } from "#app/metrics/start.server.ts";
import type { ReadinessCheck } from "#app/middleware/health.server.ts";
import { type RunningServer, startServer } from "#app/middleware/listen.server.ts";
import { logUncaughtExceptions, logUnhandledRejections, shutDown } from "#app/middleware/shutdown.server.ts";
import type { Pages } from "#app/middleware/stack.server.ts";
import { hasSigningKeys } from "#app/oidc/keys.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";

/**
 * With much memory, V8 lets the heap grow to four times its live data. Here little data lives long and every sign-in
 * leaves garbage: collecting earlier saves 90 MB at no measurable cost.
 */
const HEAP_GROWTH = "--heap-growing-percent=60";

/** Loads the pages, built before or compiled on request. */
type LoadPages = () => Promise<Pages>;

/** Creates the command line's function that starts the server, with these pages. */
export function createServe(loadPages: LoadPages): Serve {
  return async ({ config, log, acceptHost = false, fileListener }) => {
    setFlagsFromString(HEAP_GROWTH);
    const context = await createContext({
      config,
      log,
      epochOf: (database) => takeIntoService(database, { isAlone: true }),
    });
    logUnhandledRejections(context);
    logUncaughtExceptions(context);
    const { server, metrics } = await startOrClose(context, { loadPages, acceptHost });
    const cleanUp = createCleanUp(context);
    cleanUp.start();
    const verification = await startNightlyVerification(context);
    await context.mail.start(fileListener);
    context.logouts.start();
    await warnOfClock(context);
    log.info({ issuer: config.issuer, address: server.url }, "serving");
    return {
      url: server.url,
      close: async () => {
        cleanUp.stop();
        verification.stop();
        await shutDown(context, { ...server, close: () => closeBoth(context, server) });
        // Last, so that the metrics cover the shutdown.
        await metrics?.close();
      },
    };
  };
}

/** Stops all three in parallel; responses, mails and logouts in progress may finish. */
async function closeBoth({ mail, logouts }: AppContext, server: RunningServer): Promise<void> {
  await Promise.all([server.close(), mail.stop(), logouts.stop()]);
}

/** Starts the server; closes the database if that fails, for example because the port is in use. */
async function startOrClose(
  context: AppContext,
  { loadPages, acceptHost }: { loadPages: LoadPages; acceptHost: boolean },
): Promise<{ server: RunningServer; metrics: RunningMetrics | null }> {
  let metrics: RunningMetrics | null = null;
  try {
    await changeIssuer(context, { acceptHost });
    const pages = await loadPages();
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
  context.log.info({ port: metricsPort }, "serving metrics on this machine");
  return start(context, metricsPort);
}

type ReadinessDeps = Pick<AppContext, "store" | "config" | "clock">;

function readinessOf(context: ReadinessDeps): ReadinessCheck[] {
  const { store } = context;
  return [
    { name: "migrations", isReady: async () => (await listPendingMigrations(store)).length === 0 },
    { name: "writes", isReady: createWriteProbe(context) },
    { name: "keys", isReady: () => hasSigningKeys({ store }) },
    { name: "files", isReady: async () => hasWritableFiles(context.config) },
    { name: "backup", isReady: () => hasRecentBackup(context), onlyWarns: true },
  ];
}

/** Throws if a file that the server writes has become unwritable, e.g. because another user created it. */
function hasWritableFiles({ database, smtpUrl, dataDir }: AppContext["config"]): boolean {
  if (database.dialect === "sqlite") requireServiceFiles(database.file);
  if (smtpUrl === null) requireWritableFolder(join(dataDir, "outbox"));
  return true;
}

/** Throws if the next backup cannot be written. */
async function hasRecentBackup(context: ReadinessDeps): Promise<boolean> {
  if (context.store.dialect === "sqlite") requireWritableFolder(context.config.backupDir);
  return isBackupRecent(context);
}
