import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Logger } from "pino";
import type { Config } from "#app/config/config.ts";
import { systemClock } from "#app/context.server.ts";
import { findNewestBackupTime } from "#app/db/files/backup-folder.server.ts";
import { instrumentation } from "#app/domain/audit/instrumentation.server.ts";
import { MINUTE_MS } from "#app/durations.ts";

/** At night, outside the hours that a clock change skips or repeats (2 and 3 in Europe and America). */
const SCHEDULE = "30 1 * * *";

/** Delay after the start until an overdue backup is made. A server that restarts more often makes none. */
const CATCH_UP_MS = 5 * MINUTE_MS;

/** Time that a running backup gets to end; shorter than the server's own drain. */
const STOP_MS = 5_000;

/** The nightly work of a server; `stop` ends a running backup. */
type NightlyBackup = { stop(): Promise<void> };

type NightlyInput = { config: Config; log: Logger; env: Record<string, string | undefined>; catchUpMs?: number };

/**
 * Backs up a SQLite file every night, in TIME_ZONE, by a separate `gatehouse backup` process, because copying and
 * checking would block the server. A failure is logged as an error; the command notifies ADMIN_MAIL.
 */
export async function startNightlyBackup(input: NightlyInput): Promise<NightlyBackup> {
  const { config, log, env, catchUpMs = CATCH_UP_MS } = input;
  if (config.database.dialect !== "sqlite") return { stop: async () => {} };
  const { Cron } = await import("croner");
  let child: ChildProcess | null = null;
  let isStopping = false;

  async function backUp(): Promise<void> {
    if (child !== null) return;
    const started = startBackup(env);
    child = started;
    const readStderr = collectStderr(started);
    const exitCode = await waitForExit(started);
    child = null;
    if (isStopping) return;
    instrumentation.emit("backup", { ok: exitCode === 0 });
    if (exitCode === 0) log.info({ folder: config.backupDir }, "the database was backed up");
    else log.error({ exitCode, reason: readStderr() }, "the backup of the database failed");
  }

  const job = new Cron(SCHEDULE, { timezone: config.timeZone, protect: true }, backUp);
  const catchUpTimer = setTimeout(() => {
    const now = systemClock.now();
    const [lastDueAt = null] = job.previousRuns(1, now);
    if (isBackupOverdue({ lastDueAt, newestAt: findNewestBackupTime(config.backupDir, now) })) void backUp();
  }, catchUpMs).unref();
  return {
    async stop() {
      isStopping = true;
      job.stop();
      clearTimeout(catchUpTimer);
      if (child === null) return;
      await terminate(child);
    },
  };
}

/** Starts the running program with the command `backup`. */
function startBackup(env: Record<string, string | undefined>): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", "backup", "--nightly"], {
    env: { ...env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe"],
  });
}

/**
 * Returns true if there is no backup since the last night at which one was due, because the server or the machine was
 * stopped then. A backup has the time of its start as its name, and only when it is complete.
 */
export function isBackupOverdue({ lastDueAt, newestAt }: { lastDueAt: Date | null; newestAt: Date | null }): boolean {
  return newestAt === null || (lastDueAt !== null && newestAt < lastDueAt);
}

/** Terminates the process, by SIGKILL if it does not end in time. An incomplete copy never gets its final name. */
async function terminate(child: ChildProcess): Promise<void> {
  child.kill();
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await waitForExit(child);
  clearTimeout(timer);
}

/** Resolves with the exit code, or null if the process could not be started or was killed. */
async function waitForExit(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  try {
    await once(child, "exit");
  } catch {
    return null;
  }
  return child.exitCode;
}

function collectStderr(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text.trim().slice(0, 500);
}
