import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Logger } from "pino";
import type { Config } from "#app/config/config.ts";
import { systemClock } from "#app/context.server.ts";
import { newestCopyAt } from "#app/db/files/backup-folder.server.ts";
import { tellBackup } from "#app/domain/backup/channel.server.ts";

/** When nobody works, and no clock change makes an hour vanish or come twice (Europe and America change at 2 and 3). */
const AT = "30 1 * * *";

/** A machine that was off at night makes up for it this long after the start. */
const CATCH_UP_MS = 5 * 60_000;
const CATCH_UP_AFTER_MS = 26 * 60 * 60_000;

/** How long a backup under way may take to end; shorter than the server's own drain. */
const STOP_MS = 5_000;

/** The nightly work of a server; `stop` ends what is under way. */
export type Nightly = { stop(): Promise<void> };

type NightlyInput = { config: Config; log: Logger; env: Record<string, string | undefined>; catchUpMs?: number };

/**
 * Backs a SQLite file up every night, in TIME_ZONE, by a `gatehouse backup` of its own process: copying and checking
 * would keep the server from answering. A failure is an error in the log, and the command tells ADMIN_MAIL.
 */
export async function startNightlyBackup(input: NightlyInput): Promise<Nightly> {
  const { config, log, env, catchUpMs = CATCH_UP_MS } = input;
  if (config.database.dialect !== "sqlite") return { stop: async () => {} };
  const { Cron } = await import("croner");
  let child: ChildProcess | null = null;
  let isStopping = false;

  async function backUp(): Promise<void> {
    if (child !== null) return;
    const started = startBackup(env);
    child = started;
    const told = collect(started);
    const exitCode = await endOf(started);
    child = null;
    if (isStopping) return;
    tellBackup({ ok: exitCode === 0 });
    if (exitCode === 0) log.info({ folder: config.backupDir }, "the database was backed up");
    else log.error({ exitCode, reason: told() }, "the backup of the database failed");
  }

  const job = new Cron(AT, { timezone: config.timeZone, protect: true }, backUp);
  const soon = setTimeout(() => void (isLate(config) && backUp()), catchUpMs).unref();
  return {
    async stop() {
      isStopping = true;
      job.stop();
      clearTimeout(soon);
      if (child === null) return;
      await endOrKill(child);
    },
  };
}

/** The program that runs, with another command. */
function startBackup(env: Record<string, string | undefined>): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", "backup", "--nightly"], {
    env: { ...env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe"],
  });
}

function isLate({ backupDir }: Config): boolean {
  const newest = newestCopyAt(backupDir);
  return newest === null || systemClock.now().getTime() - newest.getTime() > CATCH_UP_AFTER_MS;
}

/** Asks it to end, and ends it when it is too busy to hear: a copy that is not whole never gets its name. */
async function endOrKill(child: ChildProcess): Promise<void> {
  child.kill();
  const patience = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await endOf(child);
  clearTimeout(patience);
}

/** The exit code, or null when it could not be started or was killed. */
async function endOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  try {
    await once(child, "exit");
  } catch {
    return null;
  }
  return child.exitCode;
}

function collect(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text.trim().slice(0, 500);
}
